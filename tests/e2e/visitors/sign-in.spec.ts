/** Sign-ins that succeed, fail or are canceled. */
import { SEVERAL_MACHINES } from '../../support/processes/topology.ts';
import { completeSignIn, completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { examplePath, formPath, other } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

test('two tabs sign in at the same time, and each returns to its own page', {
  tag: SEVERAL_MACHINES,
}, async ({ context, cloud }) => {
  const [first, second] = [await context.newPage(), await context.newPage()];
  await first.goto(`/auth/sign-up?returnTo=${formPath(other)}`);
  await second.goto(`/auth/sign-in?returnTo=${examplePath()}%3Fsize%3Dlarge`);
  await completeSignUp(first, cloud, 'tabs@example.com');
  await expect(first).toHaveURL(formPath(other));
  await completeSignIn(second, 'tabs@example.com');
  await expect(second).toHaveURL(`${examplePath()}?size=large`);
  const cookies = await context.cookies();
  expect(cookies.filter(({ name }) => name.startsWith('oauth'))).toEqual([]);
});

// threat-model: T-011
test('unfinished sign-in attempts do not accumulate', async ({ page, context }) => {
  for (let attempt = 0; attempt < 12; attempt += 1) await page.goto('/auth/sign-in?returnTo=/');
  const attempts = (await context.cookies()).filter(({ name }) => name.startsWith('oauth'));
  expect(attempts.length).toBeLessThanOrEqual(5);
  expect((await page.goto('/'))?.status()).toBe(200);
});

test('a canceled sign-in is reported once, on the page where it began', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud }) => {
  await page.goto(`/auth/sign-in?returnTo=${examplePath()}`);
  await page.getByRole('link', { name: /cancel/i }).click();
  await expect(page).toHaveURL(examplePath());
  await expect(page.getByText(t('server:signInError.cancelled'))).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(t('server:signInError.cancelled'))).toHaveCount(0);
  expect(cloud.emails).toEqual([]);
});

// threat-model: T-022
test('markup in the parameters of a callback is not shown', async ({ page }) => {
  await page.goto(
    '/auth/callback?error=access_denied&error_description=%3Cimg%20src%3Dx%3E&state=%3Cscript%3E',
  );
  // The browser serializes an element with quotes, and text without.
  expect(await page.content()).not.toMatch(/img src="?x/);
  await expect(page.getByText(t('server:signInError.no-cookies'))).toBeVisible();
});

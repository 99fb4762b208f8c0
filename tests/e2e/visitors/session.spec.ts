/** Sessions that grow old while somebody uses them. */
import type { BrowserContext, Page } from '@playwright/test';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const EMAIL = 'sessions@example.com';

/** Tokens that live for six seconds are due for a refresh one second after the sign-in. */
async function signUpForSeconds(page: Page, cloud: LocalCloud): Promise<void> {
  cloud.faults.set({ tokenSeconds: 6 });
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, cloud, EMAIL);
  await expect(page.getByLabel(t('test-message:compose.label'))).toBeVisible();
}

const refreshes = (cloud: LocalCloud) => cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;

async function sessionCookie(context: BrowserContext): Promise<string> {
  const cookies = await context.cookies();
  return cookies
    .filter(({ name }) => name.startsWith('__Host-session'))
    .map(({ value }) => value)
    .join('');
}

test('is refreshed while it is used, and nobody notices', async ({ page, cloud, context }) => {
  await signUpForSeconds(page, cloud);
  const before = await sessionCookie(context);
  await expect(async () => {
    await page.reload();
    expect(refreshes(cloud)).toBeGreaterThan(0);
  }).toPass({ intervals: [500] });
  await expect(page.getByLabel(t('test-message:compose.label'))).toBeVisible();
  expect(await sessionCookie(context)).not.toBe(before);

  cloud.faults.set({});
  await page.getByLabel(t('test-message:compose.label')).fill('after the refresh');
  await page.getByRole('button', { name: t('test-message:compose.send') }).click();
  await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
});

test('is refreshed once for twenty requests at the same moment', async ({ page, cloud, stack }) => {
  await signUpForSeconds(page, cloud);
  await page.waitForTimeout(1500);
  cloud.faults.set({});
  cloud.faults.forgetCalls();
  const statuses = await page.evaluate(() =>
    Promise.all(
      Array.from({ length: 20 }, (_, n) => fetch(`/typography-demo?n=${n}`).then(({ status }) => status)),
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  // Machines that share nothing refresh once each.
  expect(refreshes(cloud)).toBeGreaterThan(0);
  expect(refreshes(cloud)).toBeLessThanOrEqual(stack.independentProcesses);
  await page.reload();
  await expect(page.getByText(EMAIL).first()).toBeAttached();
});

test('lives on while Cognito answers 503, and is refreshed when it is back', async ({ page, cloud }) => {
  await signUpForSeconds(page, cloud);
  cloud.faults.set({ tokenSeconds: 3600, faults: [{ service: 'cognito-idp', kind: 'status', status: 503 }] });
  await page.waitForTimeout(1500);
  await page.goto('/typography-demo');
  await expect(page.getByText(EMAIL).first()).toBeAttached();
  cloud.faults.set({});
  await expect(async () => {
    await page.goto('/test-message');
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByText(EMAIL).first()).toBeAttached();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('that was refused is told to have ended, with a way back to the page', async ({
      page,
      cloud,
      context,
    }) => {
      await signUpForSeconds(page, cloud);
      cloud.faults.set({
        faults: [{ service: 'cognito-idp', kind: 'error', error: 'NotAuthorizedException' }],
      });
      await page.waitForTimeout(1500);
      await page.goto('/typography-demo');
      await expect(page.getByText(t('sessionEnded.title'))).toBeVisible();
      cloud.faults.set({});
      await page.getByRole('link', { name: t('sessionEnded.signInAgain') }).click();
      // The hosted login still knows the visitor.
      await expect(page).toHaveURL('/typography-demo');
      await expect(page.getByText(t('sessionEnded.title'))).toHaveCount(0);
      await expect(page.getByText(EMAIL).first()).toBeAttached();
      expect(await sessionCookie(context)).not.toBe('');
    });

    test('that has ended can be dismissed', async ({ page, cloud }) => {
      await signUpForSeconds(page, cloud);
      cloud.faults.set({
        faults: [{ service: 'cognito-idp', kind: 'error', error: 'UserNotFoundException' }],
      });
      await page.waitForTimeout(1500);
      await page.goto('/typography-demo');
      await page.getByRole('button', { name: t('sessionEnded.dismiss') }).click();
      await expect(page).toHaveURL('/typography-demo');
      await expect(page.getByText(t('sessionEnded.title'))).toHaveCount(0);
    });
  });
}

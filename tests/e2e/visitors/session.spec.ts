/** Sessions whose tokens expire while they are used. */
import type { BrowserContext, Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { SEVERAL_MACHINES } from '../../support/processes/topology.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { examplePath, formPath, other } from '../../support/this-site.ts';
import { expect, type SignUp, test, waitForHydration } from '../support/fixtures.ts';
import { accountMenu, signInLink, signOut } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
type SignedInTest = { page: Page; cloud: LocalCloud; signUp: SignUp };

const EMAIL = 'sessions@example.com';

/** Tokens that expire after five seconds. The site refreshes tokens that early, so it does so with every request. */
const shortTokens = { tokenSeconds: 5 };

/** Asserts that the page shows the account of the visitor. */
const expectSignedIn = (page: Page) => expect(page.getByText(EMAIL).first()).toBeAttached();

/** Opens a page in a session with short tokens. */
async function openWithShortTokens({ page, cloud, signUp }: SignedInTest): Promise<void> {
  cloud.faults.set(shortTokens);
  await signUp(EMAIL);
  await page.goto(formPath());
  await expectSignedIn(page);
}

/** Opens a page until it says that the session has ended. A refresh that failed is repeated after a second. */
function openAfterSessionEnded(page: Page): Promise<void> {
  return expect(async () => {
    await page.goto(examplePath());
    // The server renders the notice, so the loaded document either has it or not.
    expect(await page.getByText(t('sessionEnded.title')).isVisible()).toBe(true);
  }).toPass();
}

const refreshCount = (cloud: LocalCloud) => cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;

async function sessionCookie(context: BrowserContext): Promise<string> {
  const cookies = await context.cookies();
  return cookies
    .filter(({ name }) => name.startsWith('session'))
    .map(({ value }) => value)
    .join('');
}

test('a session is refreshed while it is used, unnoticed by the visitor', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud, signUp, context }) => {
  await openWithShortTokens({ page, cloud, signUp });
  const before = await sessionCookie(context);
  // On a slow machine the sign-up itself may already have caused a refresh.
  cloud.faults.forgetCalls();
  await expect(async () => {
    await page.reload();
    expect(refreshCount(cloud)).toBeGreaterThan(0);
  }).toPass({ intervals: [500] });
  await expectSignedIn(page);
  expect(await sessionCookie(context)).not.toBe(before);
});

test('a session that Cognito rejects ends with a notice, and signing in returns to the page', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud, context }) => {
  cloud.faults.set(shortTokens);
  // The browser keeps the session of the hosted login.
  await page.goto(`/auth/sign-up?returnTo=${formPath()}`);
  await completeSignUp(page, cloud, EMAIL);
  await expectSignedIn(page);
  cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'error', error: 'NotAuthorizedException' }] });
  await openAfterSessionEnded(page);
  cloud.faults.set({});
  await page.getByRole('link', { name: t('sessionEnded.signInAgain') }).click();
  await expect(page).toHaveURL(examplePath());
  await expect(page.getByText(t('sessionEnded.title'))).toHaveCount(0);
  await expectSignedIn(page);
  expect(await sessionCookie(context)).not.toBe('');
});

test('the notice that a session has ended can be dismissed', async ({ page, cloud, signUp }) => {
  await openWithShortTokens({ page, cloud, signUp });
  cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'error', error: 'UserNotFoundException' }] });
  await openAfterSessionEnded(page);
  await page.getByRole('button', { name: t('sessionEnded.dismiss') }).click();
  await expect(page).toHaveURL(examplePath());
  await expect(page.getByText(t('sessionEnded.title'))).toHaveCount(0);
});

test('a sign-out while the hosted login is down stays on the page, with a notice', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud, signUp }) => {
  await signUp(EMAIL);
  await page.goto(examplePath());
  cloud.faults.set({ faults: [{ service: 'revoke', kind: 'reset' }] });
  await signOut(page, EMAIL);
  await expect(page).toHaveURL(examplePath());
  await expect(page.getByText(t('signOutIncomplete.title'))).toBeVisible();
  await expect(signInLink(page)).toBeVisible();
  await page.reload();
  await expect(page.getByText(t('signOutIncomplete.title'))).toHaveCount(0);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a sign-out is confirmed once, by a notice that has the focus and can be dismissed', {
      tag: javaScriptEnabled ? [] : [SEVERAL_MACHINES],
    }, async ({ page, signUp }) => {
      await signUp(EMAIL);
      await page.goto(examplePath(other));
      const inOther = translationsOf(other.code);
      await accountMenu(page, EMAIL).click();
      await page.getByRole('button', { name: inOther('account.signOut') }).click();
      await expect(page).toHaveURL(examplePath(other));
      const notice = page.getByRole('status').filter({ hasText: inOther('signedOut.title') });
      await expect(notice).toBeFocused();
      if (javaScriptEnabled) await waitForHydration(page);
      await notice.getByRole('link', { name: inOther('signedOut.dismiss') }).click();
      await expect(notice).toHaveCount(0);
      await expect(page).toHaveURL(examplePath(other));
      if (javaScriptEnabled) await expect(page.getByRole('main')).toBeFocused();
      await page.goto(examplePath(other));
      await expect(notice).toHaveCount(0);
    });
  });
}

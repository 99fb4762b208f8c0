/** Walks through the states of the account page, for checks that every state must pass. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { type Locale, localizePath } from '../../../../app/i18n/locales.ts';
import { completeSignIn } from '../../../support/sign-in/hosted-login-pages.ts';
import { waitForHydration } from '../../support/fixtures.ts';
import type { Walk } from '../../support/walk.ts';

export const EMAIL = 'ada.lovelace@example.com';
export const NAME = 'Ada Lovelace';

/** The form of an action. */
export const formOf = (page: Page, intent: string): Locator =>
  page.locator(`main form:has(input[name="intent"][value="${intent}"])`);

export const submit = (page: Page, intent: string) => formOf(page, intent).locator('button').last().click();

/** Sends the form of an action, signs in again, and returns to the page with the action open. */
export async function confirmAction(page: Page, intent: string, locale: Locale): Promise<void> {
  await submit(page, intent);
  await completeSignIn(page, EMAIL);
  await page.waitForURL((url) => url.pathname === localizePath('/account', locale));
}

/** The page of a signed-in visitor in each of its states, and the home page after the deletion. */
export async function walkAccountPage(
  { page, locale, check }: Walk,
  { cloud, hasScripts = true }: { cloud: LocalCloud; hasScripts?: boolean },
): Promise<void> {
  await page.goto(localizePath('/account', locale));
  if (hasScripts) {
    await page.mouse.move(5, 5);
    await waitForHydration(page);
  }
  await check('list');

  await page.locator('input[name="name"]').fill(' ');
  await submit(page, 'rename');
  await expect(page.locator('input[name="name"]')).toHaveAttribute('aria-invalid', 'true');
  await check('invalid name');
  await page.locator('input[name="name"]').fill(NAME);
  await confirmAction(page, 'rename', locale);
  await expect(page.locator('input[name="name"]')).toHaveValue(NAME);
  await check('name open');
  await submit(page, 'rename');
  await expect(formOf(page, 'rename').locator('p[role="status"]')).not.toBeEmpty();
  await expect(page.locator('header details').last()).toContainText(NAME);
  await check('name saved');

  await submit(page, 'export');
  await page.waitForURL((url) => url.searchParams.has('state'));
  await page.goto(callbackOf(page, 'access_denied'));
  await expect(page.locator('#export [role="status"]').first()).not.toBeEmpty();
  await check('canceled');

  await confirmAction(page, 'change-password', locale);
  await page.locator('input[name="currentPassword"]').fill('not the password');
  await page.locator('input[name="newPassword"]').fill('a new and longer password');
  await submit(page, 'change-password');
  await expect(page.locator('input[name="currentPassword"]')).toHaveAttribute('aria-invalid', 'true');
  await check('wrong password');

  await confirmAction(page, 'delete-account', locale);
  await check('deletion open');
  await submit(page, 'delete-account');
  await expect(page.locator('input[name="confirm"]')).toHaveAttribute('aria-invalid', 'true');
  await check('not checked');
  cloud.faults.set({
    faults: [{ service: 'cognito-idp', operation: 'DeleteUser', kind: 'status', status: 503 }],
  });
  await page.locator('input[name="confirm"]').check();
  await submit(page, 'delete-account');
  await expect(page.locator('#deletion [role="alert"]:not(#confirm-error)')).toBeVisible();
  await check('deletion incomplete');
  cloud.faults.set({});
  await page.locator('input[name="confirm"]').check();
  await submit(page, 'delete-account');
  await page.waitForURL((url) => url.pathname === localizePath('/', locale));
  await check('deleted');
}

/** The address of the callback with an error for the sign-in that the browser has begun. */
function callbackOf(page: Page, error: string): string {
  const state = new URL(page.url()).searchParams.get('state') ?? '';
  return `/auth/callback?${new URLSearchParams({ error, state })}`;
}

/** Fills in the hosted login's pages in a browser. */
import type { Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { emailedCode, PASSWORD } from './hosted-login.ts';

/** Starts on the sign-up page, creates the account and returns to the site. */
export async function completeSignUp(page: Page, cloud: LocalCloud, email: string): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(PASSWORD);
  await submitHostedForm(page);
  // The code is sent before the page that asks for it.
  const code = page.locator('input[name="code"]');
  await code.waitFor();
  await code.fill(emailedCode(cloud, email));
  await submitHostedForm(page);
}

/** Starts on the sign-in page, signs in and returns to the site. */
export async function completeSignIn(page: Page, email: string): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(PASSWORD);
  await submitHostedForm(page);
}

async function submitHostedForm(page: Page): Promise<void> {
  await page
    .locator('form:has(input[name="email"], input[name="code"]) button[type="submit"]')
    .first()
    .click();
}

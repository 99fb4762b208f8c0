/** The hosted login's pages, filled in by a real browser. */
import type { Page } from '@playwright/test';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { mailedCode } from '../processes/stack.ts';

export const PASSWORD = 'correct horse battery staple 9';

/** On the hosted login's sign-up page: creates the account and comes back to the site. */
export async function completeSignUp(page: Page, cloud: LocalCloud, email: string): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(PASSWORD);
  await submitHostedForm(page);
  await page.locator('input[name="code"]').fill(mailedCode(cloud, email));
  await submitHostedForm(page);
}

/** On the hosted login's sign-in page: signs in and comes back to the site. */
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

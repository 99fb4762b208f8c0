/** Walks through the states of the test message page, for checks that every state must pass. */
import { expect } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { localizePath } from '../../../../app/i18n/locales.ts';
import { waitForHydration } from '../../support/fixtures.ts';
import { ignoreLongTimers, type Walk, walkMenus } from '../../support/walk.ts';

/** The test message page of a signed-in visitor in each of its states, and the home page after signing out. */
export async function walkTestMessagePage(
  { page, locale, check }: Walk,
  { cloud, message: content }: { cloud: LocalCloud; message: string },
): Promise<void> {
  const path = localizePath('/test-message', locale);
  await page.goto(path);
  await waitForHydration(page);
  await check('no messages');
  await walkMenus(page, check);
  const field = page.locator('textarea');
  const send = page.locator('main form:has(textarea) button[type="submit"]');
  await send.click();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await check('empty message');
  await field.fill(content);
  await send.click();
  const message = page.locator('[id^="message-"]');
  await expect(message).toBeVisible();
  await check('posted message');

  const id = (await message.getAttribute('id'))?.replace('message-', '');
  await page.evaluate(ignoreLongTimers);
  await message.locator('form button').click();
  const undo = message.getByRole('button').first();
  await expect(undo).toBeFocused();
  await check('deleted message');
  await undo.click();
  await page.goto(`${path}?delete=${id}`);
  await expect(message.locator('form[method="post"]')).toBeVisible();
  await check('question before deleting');

  cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
  await page.goto(path);
  await expect(page.getByRole('alert')).toHaveCount(1);
  await waitForHydration(page);
  await check('failed list');
  await field.fill(content);
  await send.click();
  await expect(page.getByRole('alert')).toHaveCount(2);
  await check('failed post');

  cloud.faults.set({});
  await page.goto(localizePath('/', locale));
  await page.locator('header details > summary:visible').last().click();
  await page.locator('header form[action="/auth/sign-out"] button').click();
  await expect(page.locator('header a[href^="/auth/sign-in"]').first()).toBeAttached();
  await check('signed out');
}

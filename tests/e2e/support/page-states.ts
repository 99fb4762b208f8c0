/** Walks through the pages and their states, for checks that every state must pass. */
import { expect, type Page } from '@playwright/test';
import { type Locale, localizePath } from '../../../app/i18n/locales.ts';
import type { LocalCloud } from '../../../packages/local-cloud/start.ts';
import { openPages } from '../../support/localized-pages.ts';
import { waitForHydration } from './fixtures.ts';

/** Checks the page as it is now. `state` names it in what the check reports. */
type StateCheck = (state: string) => Promise<void>;

type Walk = { page: Page; locale: Locale; check: StateCheck };

/** The address of a page that does not exist. */
export const missingPath = (locale: Locale) => localizePath('/nowhere', locale);

/** The pages for visitors without a session, opened menus, error pages, and the offer of `other` language. */
export async function walkWithoutSession({ page, locale, check }: Walk, other: Locale): Promise<void> {
  for (const { name, slug } of openPages) {
    await page.goto(localizePath(`/${slug}`, locale));
    await check(name);
  }
  await walkMenus(page, check);
  await page.goto(localizePath('/privacy', other));
  await expect(page.locator('[data-words="language-offer"]')).toBeVisible();
  await check('offer of another language');
  await page.goto(missingPath(locale));
  await check('page for unknown addresses');
  await page.goto(localizePath('/%00', locale));
  await check('rejected request');

  const home = localizePath('/', locale);
  await page.goto(`/auth/sign-in?returnTo=${home}`);
  const state = new URL(page.url()).searchParams.get('state') ?? '';
  await page.goto(`/auth/callback?error=server_error&state=${state}`);
  await expect(page.getByRole('alert')).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(home);
  await check('failed sign-in');
}

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

/** Runs in the page, and keeps an offer that ends after ten seconds: the undo of a deletion. */
export function ignoreLongTimers(): void {
  const { setTimeout } = window;
  const ignoring = (handler: TimerHandler, delay = 0, ...rest: unknown[]) =>
    delay >= 10_000 ? 0 : setTimeout(handler, delay, ...rest);
  Object.assign(window, { setTimeout: ignoring });
}

/** Opens one menu of the header after another. */
async function walkMenus(page: Page, check: StateCheck): Promise<void> {
  const menus = page.locator('header details > summary:visible');
  for (let index = 0; index < (await menus.count()); index += 1) {
    await menus.nth(index).click();
    await check(`menu ${index + 1}`);
    await menus.nth(index).click();
  }
}

/** The parts of a walk through the states of pages. */
import type { Page } from '@playwright/test';
import type { Locale } from '../../../app/i18n/locales.ts';

/** Checks the page as it is now. `state` names it in what the check reports. */
type StateCheck = (state: string) => Promise<void>;

export type Walk = { page: Page; locale: Locale; check: StateCheck };

/** Runs in the page, and keeps an offer that ends after ten seconds: the undo of a deletion. */
export function ignoreLongTimers(): void {
  const { setTimeout } = window;
  const ignoring = (handler: TimerHandler, delay = 0, ...rest: unknown[]) =>
    delay >= 10_000 ? 0 : setTimeout(handler, delay, ...rest);
  Object.assign(window, { setTimeout: ignoring });
}

/** Opens one menu of the header after another. */
export async function walkMenus(page: Page, check: StateCheck): Promise<void> {
  const menus = page.locator('header details > summary:visible');
  for (let index = 0; index < (await menus.count()); index += 1) {
    await menus.nth(index).click();
    await check(`menu ${index + 1}`);
    await menus.nth(index).click();
  }
}

/** Moves the focus with the keyboard, as visitors without a mouse do. */
import { expect, type Locator, type Page } from '@playwright/test';

/** More focusable elements than any page has. */
const MAX_STOPS = 80;

/** Moves the focus to `target` and asserts that every focused element on the way is visible. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    await page.keyboard.press(key);
    // The browser scrolls, and the skip link appears, one frame later.
    await expect.poll(() => isFocusVisible(page), { message: 'the focus is visible' }).toBe(true);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${target} cannot be reached by ${key}`);
}

/** Whether the focused element has an outline and is in the window. The document itself needs no outline. */
function isFocusVisible(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return true;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    const { top, bottom, width } = focused.getBoundingClientRect();
    return outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && bottom > 0 && top < innerHeight;
  });
}

/** A complete visit by keyboard: every focused element is visible, everything is reachable, the focus is never lost. */
import type { Locator, Page } from '@playwright/test';
import { emailedCode, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { examplePage, examplePath } from '../../support/this-site.ts';
import { expect, test, waitForHydration } from '../support/fixtures.ts';
import { ignoreLongTimers } from '../support/page-states.ts';
import { accountMenu, expectPageAnnounced, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const english = translationsOf('en');
const french = translationsOf('fr');

/** More focusable elements than any page has. */
const MAX_STOPS = 80;

/** Moves the focus to `target` and asserts that every focused element on the way is visible. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
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

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('the skip link is the first focusable element and skips the header', async ({ page }) => {
  await page.goto('/');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: english('skipLink') });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await tabTo(page, page.getByRole('main').getByRole('link', { name: english('home:toTestMessage') }));
});

test('menus open and close by keyboard, and Escape returns the focus', async ({ page }) => {
  await openHydrated(page, '/');
  const summary = page.locator('summary').filter({ hasText: 'English' });
  const menu = page.locator('details').filter({ has: summary });
  await tabTo(page, summary);
  await page.keyboard.press('Enter');
  await expect(menu).toHaveAttribute('open', '');
  await tabTo(page, page.getByRole('button', { name: 'Deutsch', exact: true }));
  await page.keyboard.press('Escape');
  await expect(menu).not.toHaveAttribute('open');
  await expect(summary).toBeFocused();
  await page.keyboard.press('Space');
  await expect(menu).toHaveAttribute('open', '');
  await tabTo(page, page.getByRole('button', { name: english('theme.system') }));
  await expect(menu, 'closes when the focus leaves').not.toHaveAttribute('open');
});

test('a visitor reads, switches language and theme, signs up, posts, deletes and signs out by keyboard', async ({
  page,
  cloud,
}) => {
  const email = 'keys@example.com';
  const main = page.getByRole('main');
  // On a slow machine ten seconds pass before the deletion is confirmed.
  await page.addInitScript(ignoreLongTimers);

  await test.step('switch the language', async () => {
    await openHydrated(page, examplePath());
    await tabTo(page, page.locator('summary').filter({ hasText: 'English' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Français', exact: true }));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/fr/typography-demo');
    await expectPageAnnounced(page, french(`${examplePage.namespace}:title`));
  });

  await test.step('switch the theme, which keeps the focus', async () => {
    const dark = page.getByRole('banner').getByRole('button', { name: french('theme.dark') });
    await tabTo(page, dark, 'Shift+Tab');
    await page.keyboard.press('Space');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(dark).toHaveAttribute('aria-pressed', 'true');
    await expect(dark).toBeFocused();
  });

  await test.step('open another page', async () => {
    const nav = page.getByRole('navigation', { name: french('nav.label') });
    await tabTo(page, nav.getByRole('link', { name: french('nav.pages.test-message') }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/fr/test-message');
    await expectPageAnnounced(page, french('test-message:title'));
  });

  await test.step('create an account', async () => {
    await tabTo(page, main.getByRole('link', { name: french('test-message:signedOut.signUp') }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('input[name="email"]'));
    await page.keyboard.type(email);
    await tabTo(page, page.locator('input[name="password"]'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('input[name="code"]'));
    await page.keyboard.type(emailedCode(cloud, email));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/fr/test-message');
    await waitForHydration(page);
  });

  await test.step('post a message', async () => {
    await tabTo(page, main.locator('textarea'));
    await page.keyboard.type('Sans souris');
    await tabTo(page, main.getByRole('button', { name: french('test-message:compose.send') }));
    await page.keyboard.press('Enter');
    await expect(main.getByText(french('test-message:compose.sent'))).toBeVisible();
    await expect(main.getByRole('listitem').getByText('Sans souris')).toBeVisible();
  });

  await test.step('delete it, which moves the focus to "Undo" and then to the list', async () => {
    await tabTo(page, main.getByRole('button', { name: /Sans souris/ }));
    await page.keyboard.press('Enter');
    await expect(main.getByText(french('test-message:list.deleted'))).toBeVisible();
    await expect(main.getByRole('button', { name: french('test-message:list.undo') })).toBeFocused();
    await tabTo(page, main.getByRole('button', { name: french('test-message:list.dismiss') }));
    await page.keyboard.press('Enter');
    await expect(main.getByRole('heading', { name: french('test-message:list.title') })).toBeFocused();
  });

  await test.step('sign out', async () => {
    await tabTo(page, accountMenu(page, email), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: french('account.signOut') }));
    await page.keyboard.press('Enter');
    await expect(
      page.getByRole('banner').getByRole('link', { name: french('account.signIn') }),
    ).toBeVisible();
  });
});

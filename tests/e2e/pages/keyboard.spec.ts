/** A complete visit by keyboard: every focused element is visible, everything is reachable, the focus is never lost. */
import { pageNamed } from '../../../app/pages.ts';
import { emailedCode, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { examplePage, examplePath, isOnePage, other, otherHome } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { tabTo } from '../support/keyboard.ts';
import { accountMenu, expectPageAnnounced, navigationLink, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const english = translationsOf('en');
const inOther = translationsOf(other.code);

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('the skip link is the first focusable element and skips the header', async ({ page }) => {
  await page.goto('/');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: english('skipLink') });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await tabTo(page, page.getByRole('main').getByRole('link').first());
});

test('menus open and close by keyboard, and Escape returns the focus', async ({ page }) => {
  await openHydrated(page, '/');
  const summary = page.locator('summary').filter({ hasText: 'English' });
  const menu = page.locator('details').filter({ has: summary });
  await tabTo(page, summary);
  await page.keyboard.press('Enter');
  await expect(menu).toHaveAttribute('open', '');
  await tabTo(page, page.getByRole('button', { name: other.ownName, exact: true }));
  await page.keyboard.press('Escape');
  await expect(menu).not.toHaveAttribute('open');
  await expect(summary).toBeFocused();
  await page.keyboard.press('Space');
  await expect(menu).toHaveAttribute('open', '');
  await tabTo(page, page.getByRole('button', { name: english('theme.system') }));
  await expect(menu, 'closes when the focus leaves').not.toHaveAttribute('open');
});

test('a visitor reads, switches language and theme, signs up and signs out by keyboard', async ({
  page,
  cloud,
}) => {
  const email = 'keys@example.com';
  const banner = page.getByRole('banner');

  await test.step('switch the language', async () => {
    await openHydrated(page, examplePath());
    await tabTo(page, page.locator('summary').filter({ hasText: 'English' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: other.ownName, exact: true }));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(examplePath(other));
    await expectPageAnnounced(page, examplePage, other);
  });

  await test.step('switch the theme, which keeps the focus', async () => {
    const dark = banner.getByRole('button', { name: inOther('theme.dark') });
    await tabTo(page, dark, 'Shift+Tab');
    await page.keyboard.press('Space');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(dark).toHaveAttribute('aria-pressed', 'true');
    await expect(dark).toBeFocused();
  });

  if (!isOnePage) {
    await test.step('open another page', async () => {
      await tabTo(page, navigationLink(page, 'index', other), 'Shift+Tab');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(otherHome);
      await expectPageAnnounced(page, pageNamed('index'), other);
    });
  }

  await test.step('create an account', async () => {
    await tabTo(page, banner.getByRole('link', { name: inOther('account.signUp') }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('input[name="email"]'));
    await page.keyboard.type(email);
    await tabTo(page, page.locator('input[name="password"]'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('input[name="code"]'));
    await page.keyboard.type(emailedCode(cloud, email));
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(otherHome);
  });

  await test.step('sign out', async () => {
    await tabTo(page, accountMenu(page, email));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: inOther('account.signOut') }));
    await page.keyboard.press('Enter');
    await expect(banner.getByRole('link', { name: inOther('account.signIn') })).toBeVisible();
  });
});

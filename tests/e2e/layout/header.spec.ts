/** The header at every width: what it offers, and the order of its links and buttons. */
import type { Page } from '@playwright/test';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { another, examplePath, formPath, mirrored } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { waitForFonts } from '../support/shown-fonts.ts';
import { translationsOf } from '../support/translations.ts';

type Box = { label: string; top: number; bottom: number; start: number };

/** Moves the focus from the start of the page through the header. `start` is the distance from the edge where lines begin. */
async function focusOrder(page: Page): Promise<Box[]> {
  const boxes: Box[] = [];
  await page.evaluate(() => {
    // The next Tab continues after the element that had the focus last, also when it cannot be focused any more.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  for (;;) {
    await page.keyboard.press('Tab');
    const box = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused?.closest('header')) return null;
      const { top, bottom, left, right } = focused.getBoundingClientRect();
      const start = document.documentElement.dir === 'rtl' ? innerWidth - right : left;
      return { label: focused.textContent ?? '', top, bottom, start };
    });
    if (box) boxes.push(box);
    else if (boxes.length > 0) return boxes;
  }
}

/** Whether `next` is on a later line than `box`, or on the same line and further along. */
const isAfter = (box: Box, next: Box) =>
  next.top >= box.bottom || (next.bottom > box.top && next.start > box.start);

// The longest texts, and a language from right to left.
for (const locale of locales.filter(({ code }) => ['ru', mirrored.code].includes(code))) {
  test(`in ${locale.name} the focus follows the visual order at every width`, async ({ page }) => {
    await page.goto(localizePath(examplePath(), locale));
    // Neither hydration nor a font file changes the page between two elements.
    await hydrate(page);
    for (const width of [320, 360, 640, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await waitForFonts(page);
      const boxes = await focusOrder(page);
      expect(boxes.length).toBeGreaterThan(3);
      for (const [index, box] of boxes.slice(0, -1).entries()) {
        const next = boxes[index + 1];
        expect.soft(next && isAfter(box, next), `${width} px: ${box.label} before ${next?.label}`).toBe(true);
      }
    }
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('visitors can sign in and create an account at every width', async ({ page }) => {
    const t = translationsOf(another.code);
    const home = localizePath('/', another);
    const banner = page.getByRole('banner');
    await page.goto(home);
    for (const width of [320, 640, 768, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      if (width === 320)
        await banner
          .locator('summary')
          .filter({ hasText: t('account.label') })
          .click();
      for (const [name, path] of [
        ['account.signUp', 'sign-up'],
        ['account.signIn', 'sign-in'],
      ] as const) {
        const link = banner.getByRole('link', { name: t(name) });
        await expect(link, `${width} px`).toBeVisible();
        await expect(link).toHaveAttribute('href', `/auth/${path}?returnTo=${encodeURIComponent(home)}`);
      }
    }
  });
});

/** The languages of the site that Cognito's hosted login supports. */
const hostedLoginLanguages = ['en', 'fr', 'es', 'zh', 'de', 'pt', 'ja'];

test('visitors read that the sign-in page is in English in the languages that it does not support', async ({
  page,
}) => {
  const banner = page.getByRole('banner');
  for (const locale of locales) {
    const t = translationsOf(locale.code);
    const isEnglishLogin = !hostedLoginLanguages.includes(locale.code);
    const note = t('account.signInPageInEnglish');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(formPath(locale));
    const signIn = banner.getByRole('link', { name: t('account.signIn') });
    await expect(signIn, locale.name).toHaveAccessibleDescription(isEnglishLogin ? note : '');
    if (!isEnglishLogin) continue;
    await page.setViewportSize({ width: 360, height: 740 });
    await banner
      .locator('summary')
      .filter({ hasText: t('account.label') })
      .click();
    await expect(banner.getByText(note).last(), locale.name).toBeInViewport();
  }
});

test('the language menu is sorted by the names of the languages, and marks the current one', async ({
  page,
}) => {
  await page.goto(localizePath('/', another));
  await page.locator('summary').filter({ hasText: another.ownName }).click();
  const buttons = page
    .getByRole('list', { name: translationsOf(another.code)('language.label') })
    .getByRole('button');
  const sorted = [
    'Deutsch',
    'English',
    'Español',
    'Français',
    'Português (Brasil)',
    'Русский',
    'العربية',
    'हिंदी',
    '日本語',
    '简体中文',
  ].filter((name) => locales.some(({ ownName }) => ownName === name));
  const names = await buttons.allTextContents();
  expect(names.filter((name) => sorted.includes(name))).toEqual(sorted);
  await expect(buttons.filter({ hasText: another.ownName })).toHaveAttribute('aria-current', 'true');
  await expect(buttons.and(page.locator('[aria-current]'))).toHaveCount(1);
});

/** The header at every width: what it offers, and the order of its links and buttons. */
import type { Page } from '@playwright/test';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

type Box = { label: string; top: number; bottom: number; start: number };

/** Moves the focus through the header. `start` is the distance from the edge where lines begin. */
async function focusOrder(page: Page): Promise<Box[]> {
  const boxes: Box[] = [];
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

for (const code of ['en', 'ar', 'ru'] as const) {
  const locale = locales.find((candidate) => candidate.code === code) ?? locales[0];

  for (const width of [320, 360, 640, 768, 1024, 1280, 1920]) {
    test(`in ${locale.name} at ${width} pixels the focus follows the visual order`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(localizePath('/typography-demo', locale));
      const boxes = await focusOrder(page);
      expect(boxes.length).toBeGreaterThan(5);
      for (const [index, box] of boxes.slice(0, -1).entries()) {
        const next = boxes[index + 1];
        expect(next && isAfter(box, next), `${box.label} before ${next?.label}`).toBe(true);
      }
    });
  }
}

for (const width of [320, 640, 768, 1920]) {
  test(`visitors can sign in and create an account at ${width} pixels, without JavaScript`, async ({
    browser,
    site,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${site.origin}/hi`);
    const t = translationsOf('hi');
    const banner = page.getByRole('banner');
    if (width < 768)
      await banner
        .locator('summary')
        .filter({ hasText: t('account.label') })
        .click();
    for (const [name, path] of [
      ['account.signUp', '/auth/sign-up?returnTo=%2Fhi'],
      ['account.signIn', '/auth/sign-in?returnTo=%2Fhi'],
    ] as const) {
      const link = banner.getByRole('link', { name: t(name) });
      await expect(link).toBeVisible();
      await expect(link).toHaveAttribute('href', path);
    }
    await context.close();
  });
}

for (const { code, name } of locales) {
  // The languages of the site that Cognito's hosted login supports.
  const isEnglishLogin = !['en', 'fr', 'es', 'zh', 'de', 'pt', 'ja'].includes(code);

  test(`visitors in ${name} ${isEnglishLogin ? 'read that' : 'do not read that'} the sign-in page is in English`, async ({
    page,
  }) => {
    const t = translationsOf(code);
    const note = t('account.signInPageInEnglish');
    const signIn = page.getByRole('banner').getByRole('link', { name: t('account.signIn') });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(code === 'en' ? '/test-message' : `/${code}/test-message`);
    await expect(page.getByRole('main').getByText(note)).toHaveCount(isEnglishLogin ? 1 : 0);
    await expect(signIn).toHaveAccessibleDescription(isEnglishLogin ? note : '');
    if (!isEnglishLogin) return;
    await page.setViewportSize({ width: 360, height: 740 });
    await page
      .getByRole('banner')
      .locator('summary')
      .filter({ hasText: t('account.label') })
      .click();
    await expect(page.getByRole('banner').getByText(note).last()).toBeInViewport();
    await signIn.click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  });
}

test('the language menu is sorted by the names of the languages, and marks the current one', async ({
  page,
}) => {
  await page.goto('/de');
  await page.locator('summary').filter({ hasText: 'Deutsch' }).click();
  const buttons = page
    .getByRole('list', { name: translationsOf('de')('language.label') })
    .getByRole('button');
  const sorted = [
    'Deutsch',
    'English',
    'Español',
    'Français',
    'Português (Brasil)',
    'Русский',
    'العربية',
    'हिन्दी',
    '日本語',
    '简体中文',
  ];
  const names = await buttons.allTextContents();
  expect(names.filter((name) => sorted.includes(name))).toEqual(sorted);
  await expect(buttons.first()).toHaveAttribute('aria-current', 'true');
});

/** Every page with pseudo texts, also mirrored: long texts fit, and no text is missing in the translations. */
import type { Page } from '@playwright/test';
import { localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { test as base, expect } from '../support/fixtures.ts';
import { createPseudoBuild, pseudoLocales, removePseudoBuild } from '../support/pseudo-locales.ts';
import { findTextProblems } from '../support/text-findings.ts';

const EMAIL = 'ada.lovelace@example.com';
const MESSAGE = 'Hello from a visitor.';

/** `npm run pseudo` checks all four combinations, and `npm test` each width and each direction once. */
const variants = pseudoLocales
  .flatMap((locale) => [360, 1280].map((width) => ({ locale, width })))
  .filter(
    ({ locale, width }) => process.env.ALL_PSEUDO_VARIANTS || (locale.dir === 'ltr') === (width === 360),
  );

const test = base.extend<object, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern
    async ({}, use) => {
      const directory = createPseudoBuild();
      const stack = await startStack({ directory });
      await use(stack);
      await stack.stop();
      removePseudoBuild(directory);
    },
    { scope: 'worker' },
  ],
});

/** Collects the problems of one state of a page after another. */
function createReport(page: Page, content: readonly string[]) {
  const problems: string[] = [];
  return {
    problems,
    async check(state: string) {
      await page.evaluate(() => document.fonts.ready);
      const found = await findTextProblems(page, [EMAIL, MESSAGE, ...content]);
      problems.push(...found.map((problem) => `${state}: ${problem}`));
    },
  };
}

/** Opens one menu of the header after another. */
async function checkMenus(page: Page, check: (state: string) => Promise<void>): Promise<void> {
  const menus = page.locator('header details > summary:visible');
  for (let index = 0; index < (await menus.count()); index += 1) {
    await menus.nth(index).click();
    await check(`menu ${index + 1}`);
    await menus.nth(index).click();
  }
}

for (const { locale, width } of variants) {
  test.describe(`pseudo texts, ${locale.dir}, at ${width} pixels`, () => {
    test.use({ viewport: { width, height: 800 }, locale: locale.iso });

    test('fit all pages for visitors without a session', async ({ page }) => {
      const missing = localizePath('/nowhere', locale);
      const { problems, check } = createReport(page, [missing]);
      for (const { name, slug } of pages) {
        await page.goto(localizePath(`/${slug}`, locale));
        await check(name);
      }
      await checkMenus(page, check);
      const other = pseudoLocales.find((candidate) => candidate !== locale) ?? locale;
      await page.goto(localizePath('/privacy', other));
      await expect(page.locator('[data-words="language-offer"]')).toBeVisible();
      await check('offer of another language');
      await page.goto(missing);
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
      expect(problems).toEqual([]);
    });

    test('fit the test message page', async ({ page, signUp, cloud }) => {
      const { problems, check } = createReport(page, []);
      await signUp(EMAIL);
      const path = localizePath('/test-message', locale);
      await page.goto(path);
      await check('no messages');
      await checkMenus(page, check);
      const field = page.locator('textarea');
      const send = page.locator('main form:has(textarea) button[type="submit"]');
      await send.click();
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await check('empty message');
      await field.fill(MESSAGE);
      await send.click();
      const message = page.locator('[id^="message-"]');
      await expect(message).toBeVisible();
      await check('posted message');

      const id = (await message.getAttribute('id'))?.replace('message-', '');
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
      await check('failed list');
      await field.fill(MESSAGE);
      await send.click();
      await expect(page.getByRole('alert')).toHaveCount(2);
      await check('failed post');

      cloud.faults.set({});
      await page.goto(localizePath('/', locale));
      await page.locator('header details > summary:visible').last().click();
      await page.locator('header form[action="/auth/sign-out"] button').click();
      await expect(page.locator('header a[href^="/auth/sign-in"]').first()).toBeAttached();
      await check('signed out');
      expect(problems).toEqual([]);
    });
  });
}

/** Every page with pseudo texts, also mirrored: long texts fit, and no text is missing in the translations. */
import type { Page } from '@playwright/test';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { test as base, expect } from '../support/fixtures.ts';
import { missingPath, walkTestMessagePage, walkWithoutSession } from '../support/page-states.ts';
import { createPseudoBuild, pseudoLocales, removePseudoBuild } from '../support/pseudo-locales.ts';
import { waitForFonts } from '../support/shown-fonts.ts';
import { findTextProblems } from '../support/text-findings.ts';

const EMAIL = 'ada.lovelace@example.com';
const MESSAGE = 'Hello from a visitor.';

/** `npm run pseudo` checks all four combinations, and `npm run test:all` each width and each direction once. */
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
      await waitForFonts(page);
      const found = await findTextProblems(page, [EMAIL, MESSAGE, ...content]);
      problems.push(...found.map((problem) => `${state}: ${problem}`));
    },
  };
}

for (const { locale, width } of variants) {
  test.describe(`pseudo texts, ${locale.dir}, at ${width} pixels`, () => {
    test.use({ viewport: { width, height: 800 }, locale: locale.iso });

    test('fit all pages for visitors without a session', async ({ page }) => {
      const { problems, check } = createReport(page, [missingPath(locale)]);
      const other = pseudoLocales.find((candidate) => candidate !== locale) ?? locale;
      await walkWithoutSession({ page, locale, check }, other);
      expect(problems).toEqual([]);
    });

    test('fit the test message page', async ({ page, signUp, cloud }) => {
      const { problems, check } = createReport(page, []);
      await signUp(EMAIL);
      await walkTestMessagePage({ page, locale, check }, { cloud, message: MESSAGE });
      expect(problems).toEqual([]);
    });
  });
}

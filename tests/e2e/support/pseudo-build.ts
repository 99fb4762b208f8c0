/** Tests of a build of the site with pseudo texts. */
import type { Page } from '@playwright/test';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { test as base } from './fixtures.ts';
import { createPseudoBuild, pseudoLocales, removePseudoBuild } from './pseudo-locales.ts';
import { waitForFonts } from './shown-fonts.ts';
import { findTextProblems } from './text-findings.ts';

/** The languages and widths to test: each width and each direction once. */
export const pseudoVariants = pseudoLocales
  .flatMap((locale) => [360, 1280].map((width) => ({ locale, width })))
  .filter(({ locale, width }) => (locale.dir === 'ltr') === (width === 360))
  .map(({ locale, width }) => ({
    title: `pseudo texts, ${locale.dir}, at ${width} pixels`,
    locale,
    options: { viewport: { width, height: 800 }, locale: locale.iso },
  }));

export const test = base.extend<object, { stack: Stack }>({
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

/** Collects the problems of one state of a page after another. `content` are texts of the visitor. */
export function createTextReport(page: Page, content: readonly string[]) {
  const problems: string[] = [];
  return {
    problems,
    async check(state: string) {
      await waitForFonts(page);
      const found = await findTextProblems(page, content);
      problems.push(...found.map((problem) => `${state}: ${problem}`));
    },
  };
}

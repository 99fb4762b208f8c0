import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { defaultLocale } from '../../../app/i18n/locales.ts';
import { mirrored } from '../../support/this-site.ts';
import { layOutEverything } from './shown-fonts.ts';

/** A window, a color scheme and a language, together with another language that the site may offer. */
export const accessibilityVariants = (
  [
    { locale: defaultLocale, other: mirrored, colorScheme: 'dark', width: 360 },
    { locale: mirrored, other: defaultLocale, colorScheme: 'light', width: 1280 },
  ] as const
).map(({ locale, other, colorScheme, width }) => ({
  title: `${locale.code}, ${colorScheme}, at ${width} pixels`,
  locale,
  other,
  options: {
    colorScheme,
    viewport: { width, height: 800 },
    locale: locale.iso,
    // The console shows the responses of the error pages.
    expectedConsole: /status of (400|404|503)/,
  },
}));

/** Collects the violations of one state of a page after another. */
export function createViolationReport(page: Page) {
  const violations: string[] = [];
  const check = async (state: string) => {
    for (const violation of await findViolations(page)) violations.push(`${state}: ${violation}`);
  };
  return { violations, check };
}

/** The violations that axe finds in the page as it is now: the WCAG 2.2 rules of levels A and AA, and best practices. */
export async function findViolations(page: Page): Promise<string[]> {
  await layOutEverything(page);
  await waitForTransitions(page);
  const { violations } = await new AxeBuilder({ page })
    // Without details of what passes, and without the style sheets, which no rule with these tags reads.
    .options({ resultTypes: ['violations'], preload: { assets: ['media'] } })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Without a second browser window for the results: that one collects them from frames, and no page has one.
    .setLegacyMode()
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
}

/** Waits until no color changes any more, because axe compares the colors of one moment. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}

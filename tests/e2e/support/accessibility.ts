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
  await waitForMotion(page);
  const { violations } = await new AxeBuilder({ page })
    // Without details of what passes, and without the style sheets, which no rule with these tags reads.
    .options({ resultTypes: ['violations'], preload: { assets: ['media'] } })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Without a second browser window for the results: that one collects them from frames, and no page has one.
    .setLegacyMode()
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(', ')}`);
}

/** Waits until no color or opacity changes any more, because axe compares the colors of one moment. */
async function waitForMotion(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const longest = 1000;
    // The progress of a navigation and the icon of a busy button go on.
    const short = document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < longest);
    // An animation in the closed part of a `<details>` element stands still.
    const time = new Promise((resolve) => setTimeout(resolve, longest));
    await Promise.race([time, Promise.allSettled(short.map(({ finished }) => finished))]);
  });
}

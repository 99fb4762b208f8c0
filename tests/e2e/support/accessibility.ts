import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { layOutEverything } from './shown-fonts.ts';

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

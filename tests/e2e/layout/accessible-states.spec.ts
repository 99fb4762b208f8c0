/** The pages in each of their states have no accessibility violations, in a light and in a dark system. */
import { accessibilityVariants, createViolationReport } from '../support/accessibility.ts';
import { expect, test } from '../support/fixtures.ts';
import { walkWithoutSession } from '../support/page-states.ts';

for (const { title, locale, other, options } of accessibilityVariants) {
  test.describe(title, () => {
    test.use(options);

    test('the states without a session have no violations', async ({ page }) => {
      const { violations, check } = createViolationReport(page);
      const checkInBothSchemes = async (state: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await check(`${state}, ${colorScheme}`);
        }
      };
      await walkWithoutSession({ page, locale, check: checkInBothSchemes }, other);
      expect(violations).toEqual([]);
    });
  });
}

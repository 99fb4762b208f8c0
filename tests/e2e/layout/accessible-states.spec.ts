/** The pages in each of their states have no accessibility violations. */
import { accessibilityVariants, createViolationReport } from '../support/accessibility.ts';
import { expect, test } from '../support/fixtures.ts';
import { walkWithoutSession } from '../support/page-states.ts';

for (const { title, locale, other, options } of accessibilityVariants) {
  test.describe(title, () => {
    test.use(options);

    test('the states without a session have no violations', async ({ page }) => {
      const { violations, check } = createViolationReport(page);
      await walkWithoutSession({ page, locale, check }, other);
      expect(violations).toEqual([]);
    });
  });
}

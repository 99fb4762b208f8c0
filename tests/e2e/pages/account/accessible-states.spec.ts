/** The account page in each of its states has no accessibility violations. */
import { accessibilityVariants, createViolationReport } from '../../support/accessibility.ts';
import { expect, test } from '../../support/fixtures.ts';
import { EMAIL, walkAccountPage } from './page-states.ts';

for (const { title, locale, options } of accessibilityVariants) {
  test.describe(title, () => {
    test.use({ ...options, expectedConsole: /status of (422|503)/ });

    test('the states of the account page have no violations', async ({ page, signUp, cloud }) => {
      const { violations, check } = createViolationReport(page);
      await signUp(EMAIL);
      await walkAccountPage({ page, locale, check }, { cloud });
      expect(violations).toEqual([]);
    });
  });
}

/** The test message page in each of its states has no accessibility violations. */
import { accessibilityVariants, createViolationReport } from '../../support/accessibility.ts';
import { expect, test } from '../../support/fixtures.ts';
import { walkTestMessagePage } from './page-states.ts';

for (const { title, locale, options } of accessibilityVariants) {
  test.describe(title, () => {
    test.use(options);

    test('the states of the test message page have no violations', async ({ page, signUp, cloud }) => {
      const { violations, check } = createViolationReport(page);
      await signUp('ada@example.com');
      await walkTestMessagePage({ page, locale, check }, { cloud, message: 'Hello' });
      expect(violations).toEqual([]);
    });
  });
}

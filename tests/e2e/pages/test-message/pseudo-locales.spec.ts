/** The test message page with pseudo texts. */
import { expect } from '../../support/fixtures.ts';
import { createTextReport, pseudoVariants, test } from '../../support/pseudo-build.ts';
import { walkTestMessagePage } from './page-states.ts';

const EMAIL = 'ada.lovelace@example.com';
const MESSAGE = 'Hello from a visitor.';

for (const { title, locale, options } of pseudoVariants) {
  test.describe(title, () => {
    test.use(options);

    test('fit the test message page', async ({ page, signUp, cloud }) => {
      const { problems, check } = createTextReport(page, [EMAIL, MESSAGE]);
      await signUp(EMAIL);
      await walkTestMessagePage({ page, locale, check }, { cloud, message: MESSAGE });
      expect(problems).toEqual([]);
    });
  });
}

/** The account page with pseudo texts. */
import { expect } from '../../support/fixtures.ts';
import { createTextReport, pseudoVariants, test } from '../../support/pseudo-build.ts';
import { EMAIL, NAME, walkAccountPage } from './page-states.ts';

for (const { title, locale, options } of pseudoVariants) {
  test.describe(title, () => {
    test.use({ ...options, expectedConsole: /status of (422|503)/ });

    test('fit the account page', async ({ page, signUp, cloud }) => {
      const devices = ['Chrome', 'Linux'];
      const { problems, check } = createTextReport(page, [EMAIL, NAME, ...devices]);
      await signUp(EMAIL);
      await walkAccountPage({ page, locale, check }, { cloud });
      expect(problems).toEqual([]);
    });
  });
}

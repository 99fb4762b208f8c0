/** Every page with pseudo texts, also mirrored: long texts fit, and no text is missing in the translations. */
import { expect } from '../support/fixtures.ts';
import { missingPath, walkWithoutSession } from '../support/page-states.ts';
import { createTextReport, pseudoVariants, test } from '../support/pseudo-build.ts';
import { pseudoLocales } from '../support/pseudo-locales.ts';

for (const { title, locale, options } of pseudoVariants) {
  test.describe(title, () => {
    test.use(options);

    test('fit all pages for visitors without a session', async ({ page }) => {
      const { problems, check } = createTextReport(page, [missingPath(locale)]);
      const other = pseudoLocales.find((candidate) => candidate !== locale) ?? locale;
      await walkWithoutSession({ page, locale, check }, other);
      expect(problems).toEqual([]);
    });
  });
}

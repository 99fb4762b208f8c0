/** The pages in each of their states have no accessibility violations. */
import { locales } from '../../../app/i18n/locales.ts';
import { findViolations } from '../support/accessibility.ts';
import { expect, test } from '../support/fixtures.ts';
import { walkTestMessagePage, walkWithoutSession } from '../support/page-states.ts';

const variants = [
  { code: 'en', otherCode: 'ar', colorScheme: 'dark', width: 360 },
  { code: 'ar', otherCode: 'en', colorScheme: 'light', width: 1280 },
] as const;

for (const { code, otherCode, colorScheme, width } of variants) {
  const [locale, other] = [code, otherCode].map((each) => locales.find((known) => known.code === each));
  if (!locale || !other) throw new Error(`A locale is missing: ${code}, ${otherCode}`);

  test.describe(`${code}, ${colorScheme}, at ${width} pixels`, () => {
    // The console shows the responses of the error pages.
    test.use({
      colorScheme,
      viewport: { width, height: 800 },
      locale: locale.iso,
      expectedConsole: /status of (400|404|503)/,
    });

    const createReport = (page: Parameters<typeof findViolations>[0]) => {
      const violations: string[] = [];
      const check = async (state: string) => {
        for (const violation of await findViolations(page)) violations.push(`${state}: ${violation}`);
      };
      return { violations, check };
    };

    test('the states without a session have no violations', async ({ page }) => {
      const { violations, check } = createReport(page);
      await walkWithoutSession({ page, locale, check }, other);
      expect(violations).toEqual([]);
    });

    test('the states of the test message page have no violations', async ({ page, signUp, cloud }) => {
      const { violations, check } = createReport(page);
      await signUp('ada@example.com');
      await walkTestMessagePage({ page, locale, check }, { cloud, message: 'Hello' });
      expect(violations).toEqual([]);
    });
  });
}

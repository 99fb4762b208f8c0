/** The invitation to sign in. */
import { isHostedLoginTranslated } from '../../../../app/i18n/hosted-login.ts';
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import { expect, test } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';

test('says that the sign-in page is in English in the languages that it does not support', async ({
  page,
}) => {
  const supported = locales.find(({ code }) => isHostedLoginTranslated(code));
  const unsupported = locales.find(({ code }) => !isHostedLoginTranslated(code));
  for (const locale of [supported, unsupported]) {
    if (!locale) continue;
    await page.goto(localizePath('/test-message', locale));
    const note = page.getByRole('main').getByText(translationsOf(locale.code)('account.signInPageInEnglish'));
    await expect(note, locale.name).toHaveCount(isHostedLoginTranslated(locale.code) ? 0 : 1);
  }
});

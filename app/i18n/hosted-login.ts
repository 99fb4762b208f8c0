/** The languages of Cognito's hosted login, which does not support every language of the site. */
import type { LocaleCode } from './locales.ts';

/** The language tags of the hosted login by the site's language codes (AWS, "Managed login localization"). */
const hostedLanguages: Readonly<Record<string, string>> = {
  en: 'en',
  fr: 'fr',
  es: 'es',
  zh: 'zh-CN',
  de: 'de',
  pt: 'pt-BR',
  ja: 'ja',
};

/**
 * The language in which the hosted login is opened from pages in this locale: English if it does not support theirs.
 */
export function hostedLoginLanguage(code: LocaleCode): string {
  return hostedLanguages[code] ?? 'en';
}

/** Whether the hosted login supports the language of this locale. */
export function isHostedLoginTranslated(code: LocaleCode): boolean {
  return code in hostedLanguages;
}

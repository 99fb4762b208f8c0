/** The i18next configuration, the same on the server and in the browser so that both render the same text. */
import type { InitOptions, Resource } from 'i18next';
import { formatNumber } from './formats.ts';
import { defaultLocale, type LocaleCode, parseLocale } from './locales.ts';

/** Options for an instance that has all its translations already. It is ready when `init` returns. */
export function i18nextOptions(locale: LocaleCode, resources: Resource): InitOptions {
  return {
    lng: locale,
    fallbackLng: defaultLocale.code,
    resources,
    ns: Object.keys(resources[locale] ?? {}),
    defaultNS: 'common',
    initAsync: false,
    interpolation: {
      // React escapes what it renders.
      escapeValue: false,
      // Numbers in translations get the digits of the locale.
      alwaysFormat: true,
      format: (value, _format, language) =>
        typeof value === 'number' ? formatNumber(value, (parseLocale(language) ?? defaultLocale).iso) : value,
    },
    react: { useSuspense: false },
    returnNull: false,
  };
}

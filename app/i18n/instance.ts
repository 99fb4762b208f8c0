/** One way to set up i18next, for the server's instances and the browser's, so that both write the same words. */
import type { InitOptions, Resource } from 'i18next';
import { numberFormat } from './formats.ts';
import { defaultLocale, type LocaleCode, parseLocale } from './locales.ts';

/** Options for an instance that has its texts at hand: it is ready when `init` returns, and loads nothing itself. */
export function instanceOptions(locale: LocaleCode, resources: Resource): InitOptions {
  const { iso } = parseLocale(locale) ?? defaultLocale;
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
      // Numbers in texts have the digits of the language, as those have that `Intl` writes beside them.
      alwaysFormat: true,
      format: (value) => (typeof value === 'number' ? numberFormat(iso).format(value) : value),
    },
    react: { useSuspense: false },
    returnNull: false,
  };
}

/** One way to set up i18next, for the server's instances and the browser's, so that both write the same words. */
import type { InitOptions, Resource } from 'i18next';
import { defaultLocale, type LocaleCode } from './locales.ts';

/** Options for an instance that has its texts at hand: it is ready when `init` returns, and loads nothing itself. */
export function instanceOptions(locale: LocaleCode, resources: Resource): InitOptions {
  return {
    lng: locale,
    fallbackLng: defaultLocale.code,
    resources,
    ns: Object.keys(resources[locale] ?? {}),
    defaultNS: 'common',
    initImmediate: false,
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    returnNull: false,
  };
}

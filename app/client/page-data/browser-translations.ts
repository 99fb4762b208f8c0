/** The translations that this browser has loaded, and one i18next instance per locale that uses them. */
import { createInstance, type i18n, type ResourceLanguage } from 'i18next';
import { i18nextOptions } from '../../i18n/i18next-options.ts';
import { defaultLocale, type LocaleCode } from '../../i18n/locales.ts';

declare global {
  interface Window {
    /** Set by `DocumentScripts`. */
    __translations?: { locale: LocaleCode; translations: ResourceLanguage };
  }
}

export type BrowserTranslations = {
  /** Adds a locale's translations by namespace. A namespace that is loaded already is not replaced. */
  add(locale: LocaleCode, translations: ResourceLanguage): void;
  has(locale: LocaleCode, namespace: string): boolean;
  /**
   * The locale's instance. For missing translations it falls back to those of the default locale, if they are loaded.
   */
  instance(locale: LocaleCode): i18n;
  /** The locale itself if its shared translations are loaded. Otherwise one whose shared translations are loaded. */
  shown(locale: LocaleCode): LocaleCode;
};

export function createBrowserTranslations(): BrowserTranslations {
  const loaded = new Map<LocaleCode, ResourceLanguage>();
  const instances = new Map<LocaleCode, i18n>();

  const has = (locale: LocaleCode, namespace: string) => Object.hasOwn(loaded.get(locale) ?? {}, namespace);

  return {
    has,
    shown: (locale) => [locale, ...loaded.keys()].find((code) => has(code, 'common')) ?? locale,
    add(locale, translations) {
      const previous = loaded.get(locale) ?? {};
      loaded.set(locale, { ...translations, ...previous });
      for (const [namespace, texts] of Object.entries(translations)) {
        if (Object.hasOwn(previous, namespace)) continue;
        for (const [code, instance] of instances) {
          if (code === locale || locale === defaultLocale.code) {
            instance.addResourceBundle(locale, namespace, texts);
          }
        }
      }
    },
    instance(locale) {
      const existing = instances.get(locale);
      if (existing) return existing;
      const instance = createInstance();
      const resources = {
        [defaultLocale.code]: { ...loaded.get(defaultLocale.code) },
        [locale]: { ...loaded.get(locale) },
      };
      void instance.init(i18nextOptions(locale, resources));
      instances.set(locale, instance);
      return instance;
    },
  };
}

/** The translations of this tab, at first those that came with the document. The server never uses them. */
export const browserTranslations = createBrowserTranslations();
if (typeof window !== 'undefined' && window.__translations) {
  browserTranslations.add(window.__translations.locale, window.__translations.translations);
}

/** The words that this browser has so far, and one i18next instance per locale over them. */
import { createInstance, type i18n, type ResourceLanguage } from 'i18next';
import { instanceOptions } from './instance.ts';
import { defaultLocale, type LocaleCode } from './locales.ts';

export type BrowserWords = {
  /** Adds a locale's texts by namespace; what is there already stays. */
  add(locale: LocaleCode, messages: ResourceLanguage): void;
  has(locale: LocaleCode, namespace: string): boolean;
  /** The locale's instance. Where the locale has no words it says the default locale's, if those are there. */
  instance(locale: LocaleCode): i18n;
};

export function createBrowserWords(): BrowserWords {
  const words = new Map<LocaleCode, ResourceLanguage>();
  const instances = new Map<LocaleCode, i18n>();

  return {
    has: (locale, namespace) => Object.hasOwn(words.get(locale) ?? {}, namespace),
    add(locale, messages) {
      const known = words.get(locale) ?? {};
      words.set(locale, { ...messages, ...known });
      for (const [namespace, texts] of Object.entries(messages)) {
        if (Object.hasOwn(known, namespace)) continue;
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
        [defaultLocale.code]: { ...words.get(defaultLocale.code) },
        [locale]: { ...words.get(locale) },
      };
      void instance.init(instanceOptions(locale, resources));
      instances.set(locale, instance);
      return instance;
    },
  };
}

/** Those of this browser. The server has its own and never asks here. */
export const browserWords = createBrowserWords();

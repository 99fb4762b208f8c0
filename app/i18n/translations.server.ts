/**
 * The translations of all locales, read once per process, and one i18next instance per locale, created when first used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance, type i18n, type ResourceLanguage } from 'i18next';
import type { Namespace } from '../pages.ts';
import { i18nextOptions } from './i18next-options.ts';
import { type LocaleCode, locales } from './locales.ts';

export type Translations = {
  /** A locale's translations in the named namespaces, for the browser. */
  of(locale: LocaleCode, namespaces: readonly Namespace[]): ResourceLanguage;
  /** The locale's instance with all namespaces. All requests share it, so its language must never be changed. */
  instance(locale: LocaleCode): i18n;
};

/** The translations of one locale by namespace. */
type LocaleTranslations = Record<string, { allLocales?: unknown }>;

/**
 * Reads `{directory}/{locale}/{namespace}.json` for every locale. Throws if a file cannot be read or is not JSON, so
 * that a site without translations does not start.
 *
 * Texts under the key `allLocales` are for content that appears in all languages at once. `allLocales.greeting` of each
 * locale's file is available in every locale as `allLocales.{locale}.greeting`.
 */
export function loadTranslations(directory: string): Translations {
  const files = new Map(locales.map(({ code }) => [code, readLocale(join(directory, code))] as const));
  const byLocale = new Map(
    [...files].map(([code, translations]) => [code, withAllLocales(translations, files)]),
  );
  const instances = new Map<LocaleCode, i18n>();
  return {
    of(locale, namespaces) {
      const translations = byLocale.get(locale) ?? {};
      return Object.fromEntries(namespaces.map((namespace) => [namespace, translations[namespace] ?? {}]));
    },
    instance(locale) {
      const instance = instances.get(locale) ?? createServerInstance(locale, byLocale.get(locale));
      instances.set(locale, instance);
      return instance;
    },
  };
}

function readLocale(directory: string): LocaleTranslations {
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    files.map((file) => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(directory, file), 'utf8')),
    ]),
  );
}

function withAllLocales(
  translations: LocaleTranslations,
  files: ReadonlyMap<LocaleCode, LocaleTranslations>,
): ResourceLanguage {
  return Object.fromEntries(
    Object.entries(translations).map(([namespace, texts]) => {
      if (texts.allLocales === undefined) return [namespace, texts];
      const ofLocale = [...files].map(([code, file]) => [code, file[namespace]?.allLocales] as const);
      return [namespace, { ...texts, allLocales: Object.fromEntries(ofLocale) }];
    }),
  );
}

function createServerInstance(locale: LocaleCode, translations: ResourceLanguage = {}): i18n {
  const instance = createInstance();
  void instance.init(i18nextOptions(locale, { [locale]: translations }));
  return instance;
}

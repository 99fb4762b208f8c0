/**
 * The translations of all locales, read once per process, and one i18next instance per locale, created when first used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance, type i18n, type Resource, type ResourceLanguage } from 'i18next';
import type { Namespace } from '../pages.ts';
import { i18nextOptions } from './i18next-options.ts';
import { toScript } from './inline-script.ts';
import { type LocaleCode, locales } from './locales.ts';

export type Translations = {
  /** All of them, by locale and namespace. */
  resources: Resource;
  /** A locale's translations in the named namespaces, for the browser. */
  of(locale: LocaleCode, namespaces: readonly Namespace[]): ResourceLanguage;
  /** The same as JavaScript for an inline script: an object with the locale and its translations. */
  script(locale: LocaleCode, namespaces: readonly Namespace[]): string;
  /** The locale's instance with all namespaces. All requests share it, so its language must never be changed. */
  instance(locale: LocaleCode): i18n;
};

/** The translations of one locale by namespace. */
type LocaleTranslations = Record<string, { allLocales?: unknown }>;

/**
 * Reads `{directory}/{locale}/{namespace}.json` for every locale. Throws with the path of a file that cannot be read or is not
 * JSON, so that a site without translations does not start.
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
  const scripts = new Map<string, string>();
  const of = (locale: LocaleCode, namespaces: readonly Namespace[]): ResourceLanguage => {
    const translations = byLocale.get(locale) ?? {};
    return Object.fromEntries(namespaces.map((namespace) => [namespace, translations[namespace] ?? {}]));
  };
  return {
    resources: Object.fromEntries(byLocale),
    of,
    script(locale, namespaces) {
      const key = `${locale} ${namespaces.join(' ')}`;
      const script = scripts.get(key) ?? toScript({ locale, translations: of(locale, namespaces) });
      scripts.set(key, script);
      return script;
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
    files.map((file) => [file.slice(0, -'.json'.length), readTexts(join(directory, file))]),
  );
}

function readTexts(path: string): LocaleTranslations[string] {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
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

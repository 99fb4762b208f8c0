/**
 * The translations of all locales, read once per process, and one i18next instance per locale, created when first used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance, type i18n, type ResourceLanguage, type TFunction } from 'i18next';
import { LRUCache } from 'lru-cache';
import type { Namespace } from '../pages.ts';
import { i18nextOptions } from './i18next-options.ts';
import { toScript } from './inline-script.ts';
import { type LocaleCode, locales } from './locales.ts';

export type Translations = {
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
  const scripts = new Map<string, string>();
  const of = (locale: LocaleCode, namespaces: readonly Namespace[]): ResourceLanguage => {
    const translations = byLocale.get(locale) ?? {};
    return Object.fromEntries(namespaces.map((namespace) => [namespace, translations[namespace] ?? {}]));
  };
  return {
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
  return withRememberedTexts(instance);
}

/** How many texts of a language and namespace are remembered. Without arguments there are some hundred. */
const MAX_TEXTS = 2000;

/** As long as a formatted number. A longer argument is the text of a visitor, which is not repeated. */
const MAX_ARGUMENT_LENGTH = 12;

/**
 * The instance with a `getFixedT`, which is what `useTranslation` calls, whose functions remember their texts. The
 * translations of the server never change. i18next takes 5 to 20 µs for a text, as often as it is asked.
 */
function withRememberedTexts(instance: i18n): i18n {
  const functions = new Map<string, TFunction>();
  const remember = (translate: TFunction): TFunction => {
    const texts = new LRUCache<string, string>({ max: MAX_TEXTS });
    const t = (key: string, ...args: unknown[]): string => {
      const create = (): string => Reflect.apply(translate, undefined, [key, ...args]);
      if (!args.every(isShort)) return create();
      const name = args.length === 0 ? key : JSON.stringify([key, ...args]);
      const known = texts.get(name);
      if (known !== undefined) return known;
      const text = create();
      texts.set(name, text);
      return text;
    };
    // i18next's type has a mark of its own beside the signatures.
    return t as TFunction;
  };
  const getFixedT = (...args: Parameters<i18n['getFixedT']>): TFunction => {
    const name = args.join(' ');
    const t = functions.get(name) ?? remember(instance.getFixedT(...args));
    functions.set(name, t);
    return t;
  };
  return Object.create(instance, { getFixedT: { value: getFixedT } });
}

/** Whether all values of an argument, such as `{ count: 3 }`, are numbers and short texts. */
function isShort(argument: unknown): boolean {
  return Object.values(argument ?? {}).every(
    (value) =>
      typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ARGUMENT_LENGTH),
  );
}

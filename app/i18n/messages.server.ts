/** The translated texts, read once per process, and one i18next instance per locale over them, made when it is asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInstance, type i18n, type ResourceLanguage } from 'i18next';
import type { Namespace } from '../pages.ts';
import { instanceOptions } from './instance.ts';
import { type LocaleCode, locales } from './locales.ts';

export type Messages = {
  /** One locale's texts of the named namespaces, as they go to the browser with a document. */
  of(locale: LocaleCode, namespaces: readonly Namespace[]): ResourceLanguage;
  /** The locale's own instance over all namespaces. Shared by all requests: never change its language. */
  instance(locale: LocaleCode): i18n;
};

/**
 * Reads `{directory}/{locale}/{namespace}.json` for every locale. Throws when a folder or file cannot be read or is
 * not JSON: a site without its words must not start.
 */
export function loadMessages(directory: string): Messages {
  const byLocale = new Map(locales.map(({ code }) => [code, readLocale(join(directory, code))] as const));
  const instances = new Map<LocaleCode, i18n>();
  return {
    of(locale, namespaces) {
      const all = byLocale.get(locale) ?? {};
      return Object.fromEntries(namespaces.map((namespace) => [namespace, all[namespace] ?? {}]));
    },
    instance(locale) {
      const found = instances.get(locale) ?? createServerInstance(locale, byLocale.get(locale));
      instances.set(locale, found);
      return found;
    },
  };
}

function readLocale(directory: string): ResourceLanguage {
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  return Object.fromEntries(
    files.map((file) => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(directory, file), 'utf8')),
    ]),
  );
}

function createServerInstance(locale: LocaleCode, messages: ResourceLanguage = {}): i18n {
  const instance = createInstance();
  void instance.init(instanceOptions(locale, { [locale]: messages }));
  return instance;
}

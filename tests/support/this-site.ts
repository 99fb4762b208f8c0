/** The languages and pages of this site, for tests whose examples name some of them. */
import { readFileSync } from 'node:fs';
import { defaultLocale, type Locale, locales, localizePath } from '../../app/i18n/locales.ts';
import { pathOf } from '../../app/i18n/localized-page.ts';
import { type Page, pageNamed, pages, routeModuleOf } from '../../app/pages.ts';
import { openPages } from './localized-pages.ts';

/** Languages and pages that examples name, and that a site may have removed. */
const removable = {
  languages: ['fr', 'es', 'zh', 'ar', 'de', 'pt', 'ja', 'ru', 'hi'],
  pages: ['test-message', 'typography-demo', 'privacy', 'account'],
};
const missing = [
  ...removable.languages.filter((code) => !locales.some((locale) => locale.code === code)),
  ...removable.pages.filter((name) => !pages.some((page) => page.name === name)),
];
const namesMissing = new RegExp(`(?<![\\w-])(?:${missing.join('|')})(?!\\w)`, 'i');

/** The examples, without those that name a language or a page that this site does not have. */
export function forThisSite<T extends unknown[] | [unknown]>(examples: readonly T[]): T[];
export function forThisSite<T>(examples: readonly T[]): T[];
export function forThisSite<T>(examples: readonly T[]): T[] {
  if (missing.length === 0) return [...examples];
  return examples.filter((example) => !namesMissing.test(JSON.stringify(example)));
}

/** Two languages beside the default one. They are the same in a site of two languages. */
const others: readonly Locale[] = locales.filter((locale) => locale !== defaultLocale);
export const other: Locale = others[0] ?? defaultLocale;
export const another: Locale = others.at(-1) ?? defaultLocale;

/** A language from right to left, if the site has one; else another one. */
export const mirrored: Locale = locales.find(({ dir }) => dir === 'rtl') ?? another;

/** The path of the home page in the first of them. */
export const otherHome: string = localizePath('/', other);

/** The path of a page with a form that calls the data API, if the site has kept it; else of another page. */
export const formPath = (locale: Locale = defaultLocale): string =>
  hasPage('test-message') ? localizePath('/test-message', locale) : examplePath(locale);

/** Whether the site has kept this page. */
export const hasPage = (name: string): boolean => pages.some((page) => page.name === name);

/** Whether a page accepts forms, so that what it shows may change. */
export const acceptsForms = (page: Page): boolean =>
  /^export (?:async )?(?:function|const) action\b/m.test(readFileSync(`app/${routeModuleOf(page)}`, 'utf8'));

/** Whether tests can take for granted that a page shows the same to all, in the theme that the visitor prefers. */
const isExample = (page: Page): boolean =>
  page.name !== 'index' && page.cacheSeconds === undefined && !page.forcedTheme && !acceptsForms(page);

/** A page for everyone that shows the same to all: not the home page, if there is another one. */
export const examplePage: Page = openPages.find(isExample) ?? pageNamed('index');

/** Whether there is no such page besides the home page. */
export const isOnePage: boolean = examplePage.name === 'index';

/** Its path. */
export const examplePath = (locale: Locale = defaultLocale): string => pathOf(examplePage, locale);

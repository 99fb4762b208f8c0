/**
 * The locales of the site. A path starts with the code of its locale, except in the default locale. To add a locale,
 * add a line here and a folder in `public/locales`.
 */

/** How a language writes numbers. A test compares what results with `Intl`. */
export type NumberSymbols = {
  /** Separates the thousands of numbers with at least `groupedFrom` digits. */
  group: string;
  groupedFrom: number;
  decimal: string;
  zero: string;
};

/** The numbers of English, and of other languages with the digits 0 to 9 unless they have their own. */
export const englishNumbers: NumberSymbols = { group: ',', groupedFrom: 4, decimal: '.', zero: '0' };
const germanNumbers: NumberSymbols = { ...englishNumbers, group: '.', decimal: ',' };
const arabicNumbers: NumberSymbols = { ...englishNumbers, group: '٬', decimal: '٫', zero: '٠' };

export const locales = [
  { code: 'en', iso: 'en-US', name: 'English', ownName: 'English', dir: 'ltr', numbers: englishNumbers },
  {
    code: 'fr',
    iso: 'fr-FR',
    name: 'French',
    ownName: 'Français',
    dir: 'ltr',
    numbers: { ...germanNumbers, group: '\u202f' },
  },
  {
    code: 'es',
    iso: 'es-ES',
    name: 'Spanish',
    ownName: 'Español',
    dir: 'ltr',
    numbers: { ...germanNumbers, groupedFrom: 5 },
  },
  {
    code: 'zh',
    iso: 'zh-CN',
    name: 'Chinese (Simplified)',
    ownName: '简体中文',
    dir: 'ltr',
    numbers: englishNumbers,
  },
  { code: 'ar', iso: 'ar-SA', name: 'Arabic', ownName: 'العربية', dir: 'rtl', numbers: arabicNumbers },
  { code: 'de', iso: 'de-DE', name: 'German', ownName: 'Deutsch', dir: 'ltr', numbers: germanNumbers },
  {
    code: 'pt',
    iso: 'pt-BR',
    name: 'Portuguese (Brazil)',
    ownName: 'Português (Brasil)',
    dir: 'ltr',
    numbers: germanNumbers,
  },
  { code: 'ja', iso: 'ja-JP', name: 'Japanese', ownName: '日本語', dir: 'ltr', numbers: englishNumbers },
  {
    code: 'ru',
    iso: 'ru-RU',
    name: 'Russian',
    ownName: 'Русский',
    dir: 'ltr',
    numbers: { ...germanNumbers, group: '\u00a0' },
  },
  { code: 'hi', iso: 'hi-IN', name: 'Hindi', ownName: 'हिंदी', dir: 'ltr', numbers: englishNumbers },
] as const;

/** The cookie with the language that the visitor chose. */
export const LOCALE_COOKIE = 'locale';

export type Locale = (typeof locales)[number];
export type LocaleCode = Locale['code'];

export const defaultLocale: Locale = locales[0];

/**
 * The locale with exactly this code, or null. Untrusted values must be checked with this function before they are
 * passed to i18next.
 */
export function parseLocale(code: unknown): Locale | null {
  return locales.find((locale) => locale.code === code) ?? null;
}

/** The locale of a path: that of its first segment (case-sensitive, as routes are), or else the default locale. */
export function localeOfPath(pathname: string): Locale {
  const code = pathname.split('/', 2)[1];
  return (code !== defaultLocale.code && parseLocale(code)) || defaultLocale;
}

/** The path without its locale prefix. It starts with `/`. */
export function stripLocale(pathname: string): string {
  const locale = localeOfPath(pathname);
  if (locale === defaultLocale) return pathname;
  // What follows may begin with several slashes, which as an address would name another host.
  return pathname.slice(locale.code.length + 1).replace(/^\/*/, '/');
}

/** The path of the same page in another locale. */
export function localizePath(pathname: string, locale: Locale): string {
  const path = stripLocale(pathname);
  if (locale === defaultLocale) return path;
  return path === '/' ? `/${locale.code}` : `/${locale.code}${path}`;
}

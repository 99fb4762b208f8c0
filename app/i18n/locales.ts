/**
 * The locales of the site. A path starts with the code of its locale, except in the default locale. To add a locale,
 * add a line here and a folder in `public/locales`.
 */

const definitions = [
  { code: 'en', iso: 'en-US', name: 'English', ownName: 'English', dir: 'ltr' },
  { code: 'fr', iso: 'fr-FR', name: 'French', ownName: 'Français', dir: 'ltr' },
  { code: 'es', iso: 'es-ES', name: 'Spanish', ownName: 'Español', dir: 'ltr' },
  { code: 'zh', iso: 'zh-CN', name: 'Chinese (Simplified)', ownName: '简体中文', dir: 'ltr' },
  { code: 'ar', iso: 'ar-SA', name: 'Arabic', ownName: 'العربية', dir: 'rtl' },
  { code: 'de', iso: 'de-DE', name: 'German', ownName: 'Deutsch', dir: 'ltr' },
  { code: 'pt', iso: 'pt-BR', name: 'Portuguese (Brazil)', ownName: 'Português (Brasil)', dir: 'ltr' },
  { code: 'ja', iso: 'ja-JP', name: 'Japanese', ownName: '日本語', dir: 'ltr' },
  { code: 'ru', iso: 'ru-RU', name: 'Russian', ownName: 'Русский', dir: 'ltr' },
  { code: 'hi', iso: 'hi-IN', name: 'Hindi', ownName: 'हिंदी', dir: 'ltr' },
] as const;

/** The cookie with the language that the visitor chose. */
export const LOCALE_COOKIE = 'locale';

type Definition = (typeof definitions)[number];
/** The direction stays a choice of two in a site whose languages have only one. */
export type Locale = Omit<Definition, 'dir'> & { dir: 'ltr' | 'rtl' };
export type LocaleCode = Locale['code'];

export const locales: readonly Locale[] = definitions;
export const defaultLocale: Locale = definitions[0];

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

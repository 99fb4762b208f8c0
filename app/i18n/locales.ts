/** The ten languages, and how a path says which of them it is in: English without a prefix, the others with their code. */

export const locales = [
  { code: 'en', iso: 'en-US', name: 'English', ownName: 'English', dir: 'ltr' },
  { code: 'fr', iso: 'fr-FR', name: 'French', ownName: 'Français', dir: 'ltr' },
  { code: 'es', iso: 'es-ES', name: 'Spanish', ownName: 'Español', dir: 'ltr' },
  { code: 'zh', iso: 'zh-CN', name: 'Chinese (Simplified)', ownName: '简体中文', dir: 'ltr' },
  { code: 'ar', iso: 'ar-SA', name: 'Arabic', ownName: 'العربية', dir: 'rtl' },
  { code: 'de', iso: 'de-DE', name: 'German', ownName: 'Deutsch', dir: 'ltr' },
  { code: 'pt', iso: 'pt-BR', name: 'Portuguese (Brazil)', ownName: 'Português (Brasil)', dir: 'ltr' },
  { code: 'ja', iso: 'ja-JP', name: 'Japanese', ownName: '日本語', dir: 'ltr' },
  { code: 'ru', iso: 'ru-RU', name: 'Russian', ownName: 'Русский', dir: 'ltr' },
  { code: 'hi', iso: 'hi-IN', name: 'Hindi', ownName: 'हिन्दी', dir: 'ltr' },
] as const;

export type Locale = (typeof locales)[number];
export type LocaleCode = Locale['code'];

export const defaultLocale: Locale = locales[0];

/** The locale with exactly this code, or null. Every value from outside passes here before it reaches i18next. */
export function parseLocale(code: unknown): Locale | null {
  return locales.find((locale) => locale.code === code) ?? null;
}

/** The locale that a path is in: that of its first segment, in lower case as the routes have it, else English. */
export function localeOfPath(pathname: string): Locale {
  const code = pathname.split('/', 2)[1];
  return (code !== defaultLocale.code && parseLocale(code)) || defaultLocale;
}

/** The path without its locale's prefix; it starts with `/`. */
export function stripLocale(pathname: string): string {
  const locale = localeOfPath(pathname);
  if (locale === defaultLocale) return pathname;
  return pathname.slice(locale.code.length + 1) || '/';
}

/** The same page in another locale. */
export function localizePath(pathname: string, locale: Locale): string {
  const path = stripLocale(pathname);
  if (locale === defaultLocale) return path;
  return path === '/' ? `/${locale.code}` : `/${locale.code}${path}`;
}

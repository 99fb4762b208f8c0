/**
 * The key of a page as regular expressions that PCRE and JavaScript read alike. A header that they do not cover has no
 * key: the request is passed on to the site.
 */
import type { PageKeyRules } from '../../../app/server/page-cache/page-cache-key.ts';

/** Quality values in the order of preference, as patterns. Browsers send one decimal at most. */
export const QUALITIES = [
  '(?:;q=1(?:\\.0)?)?',
  ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((tenth) => `;q=0\\.${tenth}`),
];

/** What follows the language in a range of `Accept-Language`. */
const SUBTAGS = '(?:-[A-Za-z0-9]{1,8}){0,3}';

/**
 * An `Accept-Language` whose best language the patterns find: at most twelve ranges and fewer than the 512 characters that
 * the site reads, all in the spelling of browsers.
 */
export const PLAIN_ACCEPT_LANGUAGE = listOf(
  `(?:[a-z]{2,3}${SUBTAGS}|\\*)(?:;q=(?:1(?:\\.0)?|0\\.[0-9]))?`,
  12,
);

/** An `Accept-Encoding` without quality values, of fewer than the 200 characters that the site reads. */
export const PLAIN_ACCEPT_ENCODING = listOf('[a-z-]{1,10}', 16);

/** A host as browsers send it. With other spellings one page would be stored many times. */
export const PLAIN_HOST = '^[a-z0-9.-]+(?::[0-9]+)?$';

/** The names that the build gives to files that never change. */
export const ASSET_PATH = '^/assets/[A-Za-z0-9_-][A-Za-z0-9_.-]*$';

function listOf(item: string, count: number): string {
  return `^${item}(?:, ?${item}){0,${count - 1}}$`;
}

/** Matches an `Accept-Encoding` that contains the coding. */
export const acceptsCoding = (coding: 'br' | 'gzip') => `(?:^|[, ])${coding}(?:,|$)`;

/**
 * Matches a `Cookie` header with a personal cookie. It also matches longer names and other white space than the site
 * does: such a request is passed on.
 */
export function personalCookie({ personalCookies }: PageKeyRules): string {
  return `(?:^|[;,\\s])(?:__Host-)?(?:${personalCookies.join('|')})`;
}

/**
 * Matches a `Cookie` header in which the first cookie `name` has a value that `value` matches. Names are case-sensitive, and
 * only a semicolon separates cookies (RFC 6265bis section 5.4).
 */
export function firstCookie(name: string, value: string): string {
  const named = `[ \\t]*${escapePattern(name)}[ \\t]*=`;
  return `^(?:(?!${named})[^;]*;)*${named}[ \\t]*${value}[ \\t]*(?:;|$)`;
}

/**
 * Matches a plain `Accept-Language` that names a language of the site with this quality. `language` is the pattern of the
 * language, a group where it has to be captured. The first match is the preferred one.
 */
export function namesLanguage(language: string, quality: string): string {
  return `(?:^|, ?)${language}${SUBTAGS}${quality}(?:,|$)`;
}

/** The paths of the pages by the code of their language. */
export function pathsByLanguage({ pages }: PageKeyRules): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const [path, { code }] of pages) paths.set(code, [...(paths.get(code) ?? []), path]);
  return paths;
}

/** Matches exactly these paths. */
export function exactPaths(paths: readonly string[]): string {
  return `^(?:${paths.map(escapePattern).join('|')})$`;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

import { readCookie, serializeCookie } from '../http/cookies.ts';
import type { CloudRequest } from '../http/exchange.ts';
import { isLanguage, type Language, languages } from './messages.ts';

const COOKIE = 'lang';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * The language of a page: the `lang` parameter, else the one chosen before, else what the browser prefers, else
 * English. A parameter is remembered, so it comes with a `Set-Cookie`.
 */
export function languageOf(request: CloudRequest): { language: Language; cookie: string | null } {
  const asked = request.url.searchParams.get('lang');
  if (asked !== null && isLanguage(asked)) {
    return { language: asked, cookie: serializeCookie(COOKIE, asked, { maxAge: YEAR_SECONDS }) };
  }
  const chosen = readCookie(request, COOKIE);
  if (chosen !== undefined && isLanguage(chosen)) return { language: chosen, cookie: null };
  return { language: preferredLanguage(request.headers['accept-language'] ?? ''), cookie: null };
}

/** The best of the languages there are for an `Accept-Language` header (RFC 9110 section 12.5.4, RFC 4647 section 3.4). */
export function preferredLanguage(header: string): Language {
  const ranges = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return { tag, quality };
    })
    .filter(({ tag, quality }) => tag && quality > 0)
    .sort((left, right) => right.quality - left.quality);
  for (const { tag } of ranges) {
    const language = matchLanguage(tag);
    if (language) return language;
  }
  return 'en';
}

function matchLanguage(tag: string): Language | undefined {
  // Chinese is told apart by script, or else by where it is written.
  if (/^zh\b/.test(tag)) return /\b(hant|tw|hk|mo)\b/.test(tag) ? 'zh-TW' : 'zh-CN';
  const primary = tag.split('-', 1)[0];
  return languages.find((language) => language.toLowerCase().split('-', 1)[0] === primary);
}

import { type CloudRequest, readCookie, serializeCookie } from '../http/exchange.ts';
import { isLanguage, type Language, languages } from './messages.ts';

const COOKIE = 'lang';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Returns the language of a page: the `lang` parameter, or else the `lang` cookie, or else the best match for
 * `Accept-Language`, or else English. For a `lang` parameter it also returns a `Set-Cookie` line that stores the
 * choice.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function chooseLanguage(request: CloudRequest): { language: Language; cookie: string | null } {
  const requested = request.url.searchParams.get('lang');
  if (requested !== null && isLanguage(requested)) {
    return { language: requested, cookie: serializeCookie(COOKIE, requested, { maxAge: YEAR_SECONDS }) };
  }
  const stored = readCookie(request, COOKIE);
  if (stored !== undefined && isLanguage(stored)) return { language: stored, cookie: null };
  return { language: preferredLanguage(request.headers['accept-language'] ?? ''), cookie: null };
}

/** Returns the best match for an `Accept-Language` header (RFC 9110 section 12.5.4, RFC 4647 section 3.4). */
function preferredLanguage(header: string): Language {
  const ranges = header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part
        .toLowerCase()
        .split(';')
        .map((text) => text.trim());
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
  // The script, or else the region, distinguishes traditional from simplified Chinese.
  if (/^zh\b/.test(tag)) return /\b(hant|tw|hk|mo)\b/.test(tag) ? 'zh-TW' : 'zh-CN';
  const primary = tag.split('-', 1)[0];
  return languages.find((language) => language.toLowerCase().split('-', 1)[0] === primary);
}

/** The key of a page as a CloudFront function. */
import type { PageKeyRules } from '../../../app/server/page-cache/page-cache-key.ts';
import {
  ASSET_PATH,
  exactPaths,
  firstCookie,
  namesLanguage,
  PLAIN_ACCEPT_LANGUAGE,
  pathsByLanguage,
  personalCookie,
  QUALITIES,
} from './key-patterns.ts';

/**
 * The generated function of `infra/template.yaml`, for the runtime cloudfront-js-2.0. It uses only ECMAScript 5, which
 * that runtime has completely. CloudFront itself normalizes `Accept-Encoding`. The template has room for some 4 kB.
 */
export function cloudFrontFunction(rules: PageKeyRules): string {
  const { themes, defaultTheme, languages, themeCookie, localeCookie, dismissedOffer, pages } = rules;
  const anyLanguage = `(${languages.join('|')})`;
  const [first = '', ...lower] = QUALITIES;
  const named = namesLanguage(anyLanguage, '@').split('@');
  return `function languageOf(path) {
${languagePatterns(rules)
  .map(({ pattern, language }) => `  if (${regExp(pattern)}.test(path)) return ${language};`)
  .join('\n')}
  return '';
}

function cookie(cookies, name, value) {
  return new RegExp(${cookiePattern()}).exec(cookies);
}

function preferred(cookies, languages) {
  var found = cookie(cookies, '${localeCookie}', '${anyLanguage}') || ${regExp(named.join(first))}.exec(languages);
  for (var tenth = 9; !found && tenth > ${9 - lower.length}; tenth--) {
    found = new RegExp(${text(named[0])} + ';q=0[.]' + tenth + ${text(named[1])}).exec(languages);
  }
  return found ? found[1] : '';
}

function handler(event) {
  var request = event.request, headers = request.headers, own = event.context.requestId;
  var isPlain = /^(GET|HEAD)$/.test(request.method) && !Object.keys(request.querystring).length;
  if (headers['content-length'] || headers['transfer-encoding']) isPlain = false;
  function value(name) {
    var header = headers[name];
    if (header && header.multiValue && header.multiValue.length > 1) isPlain = false;
    return header ? header.value : '';
  }
  var cookies = Object.keys(request.cookies).map(function (name) {
    return name + '=' + request.cookies[name].value;
  }).join('; ');
  var languages = value('accept-language'), language = languageOf(request.uri);
  var isArrival = value('sec-fetch-site') !== 'same-origin' && request.uri === '/';
  var isDocument = /^(document)?$/.test(value('sec-fetch-dest'));
  // No other request has this key.
  var key = own, theme = '${defaultTheme}', offer = '';
  if (isPlain && ${regExp(ASSET_PATH)}.test(request.uri)) {
    key = 'asset';
  } else if (isPlain && language && isDocument && !${regExp(personalCookie(rules))}.test(cookies) &&
    (!languages || ${regExp(PLAIN_ACCEPT_LANGUAGE)}.test(languages)) &&
    (!isArrival || cookie(cookies, '${localeCookie}', '${pages.get('/')?.code ?? ''}'))) {
${themes
  .filter((each) => each !== defaultTheme)
  .map((each) => `    if (cookie(cookies, '${themeCookie}', '${each}')) theme = '${each}';`)
  .join('\n')}
    if (!isArrival && !cookie(cookies, '${dismissedOffer.cookie}', '${dismissedOffer.value}')) offer = preferred(cookies, languages);
    if (offer === language) offer = '';
    key = theme + '|' + (offer || 'none');
  }
  if (key !== own) {
    // The site gets what the key consists of.
    request.cookies = key === 'asset' ? {} : { ${themeCookie}: { value: theme } };
    Object.keys(headers).forEach(function (name) {
      if (!/^(host|accept-encoding|if-none-match|via)$/.test(name)) delete headers[name];
    });
    if (offer) headers['accept-language'] = { value: offer };
    if (request.uri === '/') headers['sec-fetch-site'] = { value: 'same-origin' };
  }
  headers['x-page-key'] = { value: key };
  return request;
}
`;
}

/** The pages of languages that have the same ones are one pattern, whose first group is the language. */
function languagePatterns(rules: PageKeyRules): { pattern: string; language: string }[] {
  const codesByPages = new Map<string, string[]>();
  const alone: { pattern: string; language: string }[] = [];
  for (const [code, paths] of pathsByLanguage(rules)) {
    const prefix = `/${code}`;
    if (!paths.every((path) => path === prefix || path.startsWith(`${prefix}/`))) {
      alone.push({ pattern: exactPaths(paths), language: `'${code}'` });
      continue;
    }
    const slugs = paths.map((path) => path.slice(prefix.length)).join('|');
    codesByPages.set(slugs, [...(codesByPages.get(slugs) ?? []), code]);
  }
  const together = [...codesByPages].map(([slugs, codes]) => ({
    pattern: `^/(${codes.join('|')})(?:${slugs})$`,
    language: "path.split('/')[1]",
  }));
  return [...alone, ...together];
}

function regExp(pattern: string): string {
  return `/${pattern.replaceAll('/', '\\/')}/`;
}

/** An expression for the pattern of the first cookie `name` with the value `value`. */
function cookiePattern(): string {
  return text(firstCookie('@name', '@value'))
    .replaceAll('@name', "' + name + '")
    .replace('@value', "' + value + '");
}

/** A string literal. */
function text(value = ''): string {
  return `'${value.replaceAll('\\', '\\\\')}'`;
}

/** The key of a page in the configuration of nginx. */
import type { PageKeyRules } from '../../../app/server/page-cache/page-cache-key.ts';
import {
  ASSET_PATH,
  acceptsCoding,
  exactPaths,
  firstCookie,
  namesLanguage,
  PLAIN_ACCEPT_ENCODING,
  PLAIN_ACCEPT_LANGUAGE,
  PLAIN_HOST,
  pathsByLanguage,
  personalCookie,
  QUALITIES,
} from './key-patterns.ts';

/** The generated maps of `deploy/nginx/shared-cache.conf`. */
export function nginxKey(rules: PageKeyRules): string {
  const { themes, defaultTheme, languages, themeCookie, localeCookie, dismissedOffer, pages } = rules;
  const anyLanguage = languages.join('|');
  const language = pages.get('/')?.code ?? '';
  const chosen = firstCookie(localeCookie, `(?<chosen>${anyLanguage})`);
  return [
    '# The language of a page at exactly this address. Other addresses are no pages.',
    map('$request_uri', '$page_language', [
      ['default', '""'],
      ...[...pathsByLanguage(rules)].map(([code, paths]) => [matches(exactPaths(paths)), code] as const),
    ]),
    '# Empty if the request has everything that its page needs to have a key.',
    map('$request_method', '$page_method', [
      ['default', 'no'],
      [matches('^(?:GET|HEAD)$'), '""'],
    ]),
    map('$content_length$http_transfer_encoding', '$page_body', [
      ['default', 'no'],
      ['""', '""'],
    ]),
    map('$http_host', '$page_host', [
      ['default', 'no'],
      [matches(PLAIN_HOST), '""'],
    ]),
    map('$http_sec_fetch_dest', '$page_destination', [
      ['default', 'no'],
      [matches('^document$'), '""'],
      ['""', '""'],
    ]),
    map('$http_cookie', '$page_cookie', [
      ['default', '""'],
      [matches(personalCookie(rules)), 'no'],
    ]),
    map('$http_accept_language', '$page_languages', [
      ['default', 'no'],
      [matches(PLAIN_ACCEPT_LANGUAGE), '""'],
      ['""', '""'],
    ]),
    map('$http_accept_encoding', '$page_codings', [
      ['default', 'no'],
      [matches(PLAIN_ACCEPT_ENCODING), '""'],
      ['""', '""'],
    ]),
    map('$http_cookie', '$page_theme', [
      ['default', defaultTheme],
      ...themes
        .filter((theme) => theme !== defaultTheme)
        .map((theme) => [matches(firstCookie(themeCookie, theme)), theme] as const),
    ]),
    '# The language that the page is offered in: the choice of its visitor, else the best of Accept-Language.',
    map('$http_accept_language', '$page_named', [
      ['default', '""'],
      ...QUALITIES.map(
        (quality, index) =>
          [matches(namesLanguage(`(?<named${index}>${anyLanguage})`, quality)), `$named${index}`] as const,
      ),
    ]),
    map('$http_cookie', '$page_preferred', [
      ['default', '$page_named'],
      [matches(chosen), '$chosen'],
    ]),
    map('$http_cookie', '$page_dismissed', [
      ['default', '""'],
      [matches(firstCookie(dismissedOffer.cookie, dismissedOffer.value)), 'yes'],
    ]),
    '# The first page, if its visitor arrives from elsewhere: the site redirects to their language, or sets a cookie.',
    map('$http_cookie', '$page_is_chosen', [
      ['default', '""'],
      [matches(firstCookie(localeCookie, language)), 'yes'],
    ]),
    map('$request_uri:$http_sec_fetch_site:$page_is_chosen', '$page_arrival', [
      ['default', '""'],
      [matches('^/:same-origin:'), '""'],
      [matches('^/:.*:yes$'), 'chosen'],
      [matches('^/:'), 'unknown'],
    ]),
    map('$page_arrival:$page_dismissed:$page_language:$page_preferred', '$page_offer', [
      ['default', 'none'],
      // The preferred language, if it is not that of the page.
      [matches(`^(?:unknown)?::(?<own>[a-z]+):(?!\\k<own>$)(?<offered>${anyLanguage})$`), '$offered'],
    ]),
    map('$page_offer', '$page_accept_language', [
      ['default', '$page_offer'],
      ['none', '""'],
    ]),
    map('$request_uri', '$page_site', [
      ['default', '""'],
      ['/', 'same-origin'],
    ]),
    map('$http_accept_encoding', '$page_accept_encoding', [
      ['default', '""'],
      [matches(acceptsCoding('br')), 'br'],
      [matches(acceptsCoding('gzip')), 'gzip'],
    ]),
    '# page: has a key. arrival: the site decides. asset: a file of the build, whose name contains a hash of its content.',
    map(
      '$page_method$page_body$page_host$page_codings:$page_destination$page_cookie$page_languages:$page_arrival:$page_language:$request_uri',
      '$page_kind',
      [
        ['default', '""'],
        [matches(`^:[no]*:[a-z]*:[a-z]*:${ASSET_PATH.slice(1)}`), 'asset'],
        [matches('^::(?:chosen)?:[a-z]+:'), 'page'],
        [matches('^::unknown:[a-z]+:'), 'arrival'],
      ],
    ),
  ].join('\n');
}

/** A value that is compared as a regular expression. nginx ignores the case of other values, and tries none on an empty one. */
function matches(pattern: string): string {
  return `"~${pattern}"`;
}

function map(source: string, variable: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([value, result]) => `  ${value} ${result};`);
  return `map "${source}" ${variable} {\n${lines.join('\n')}\n}\n`;
}

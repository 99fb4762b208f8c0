/**
 * Random requests as a cache in front of the site gets them: a third of ordinary visitors, and two thirds hostile ones that
 * try to get, or to leave in the cache, a page that is not theirs. The attacks are those of param-miner, of the Web Cache
 * Vulnerability Scanner and of "Web Cache Deception" in PayloadsAllTheThings, and spellings that parsers read differently.
 */
import { locales } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import { split } from '../fuzzing/fuzz-values.ts';
import { createSeededRandom, type SeededRandom } from '../fuzzing/seeded-random.ts';
import { similarCookies } from '../fuzzing/similar-cookies.ts';
import { openLocalizedPages } from '../localized-pages.ts';

export type MixedRequest = {
  method: string;
  path: string;
  /** Names and values in turn, as they are sent. A name may occur several times. */
  headers: string[];
  body: string;
  /** Which attack it is; null for an ordinary visitor. */
  attack: string | null;
};

export const pagePaths = openLocalizedPages.map(({ path }) => path);
const codes = locales.map(({ code }) => code);

/** What browsers and crawlers send. */
const acceptLanguages = [
  '',
  '*',
  ...codes,
  ...split(`en-US,en;q=0.9 fr-CA,fr;q=0.9,en-US;q=0.8,en;q=0.7 de-AT,de;q=0.8,en-US;q=0.5,en;q=0.3
    pt-BR ja,en;q=0.5 zh-TW,zh;q=0.9`),
  'it, fr;q=0.9',
  'tlh,*;q=0.5',
  'ar-EG, ar;q=0.9, en;q=0.1',
];

const acceptEncodings = ['gzip, deflate, br', 'gzip, deflate, br, zstd', 'gzip', 'br', 'identity', ''];

/** Headers that a site might read although a cache does not: param-miner and the scanner send these first. */
const unkeyedHeaders =
  split(`X-Forwarded-Host X-Host X-Forwarded-Server X-HTTP-Host-Override Forwarded X-Original-URL
  X-Rewrite-URL X-Forwarded-Scheme X-Forwarded-Proto X-Forwarded-Port X-Forwarded-Prefix X-HTTP-Method-Override
  X-Method-Override X-Forwarded-For True-Client-IP CF-Connecting-IP X-Client-IP X-Real-IP X-Amz-Cf-Id X-Amz-Website-Redirect-Location
  Origin Referer User-Agent X-Wap-Profile Authorization Proxy Upgrade-Insecure-Requests X-Requested-With Accept
  Content-Type Max-Forwards X-Request-Id Traceparent X-Middleware-Prefetch X-Remix-Revalidate X-Page-Key X-Page-Theme
  X-Page-Language X-Page-Offer X-Page-Arrival CDN-Cache-Control Surrogate-Capability X-Cache-Key Fastly-Client Sec-Purpose`);

const unkeyedValues = [
  ...split(`evil.example https://evil.example/ https http /nowhere POST DELETE 9999
    for=1.2.3.4;host=evil.example;proto=http`),
  'Basic YTpi',
  ...split('dark|fr fr asset yes "><script>alert(1)</script>'),
  'x'.repeat(1500),
  ...split('application/json prefetch'),
];

/** A suffix or a delimiter with which another address looks like a page, or a page like a file. */
const pathSuffixes =
  split(`/x.css .css ;.css ;x=1 %00.css %0A.css %23.css %3f.css %2f..%2ffr /..%2fx.css /%2e%2e/fr / // /. /%2e
  ?utm_source=1 ?theme=dark ?_data=root ?x=.css ? # #x ?%00 &x=1 ~ !.js %20 .js?v=1 /_payload.json.css`);

const methods = split('HEAD POST PUT DELETE OPTIONS TRACE PURGE BAN PATCH HEAD HEAD PROPFIND');

const cacheHeaders = [
  ['Cache-Control', 'no-cache'],
  ['Cache-Control', 'max-age=0'],
  ['Cache-Control', 'no-store'],
  ['Cache-Control', 'only-if-cached'],
  ['Cache-Control', 'public, max-age=9999999'],
  ['Pragma', 'no-cache'],
  ['Pragma', 'akamai-x-get-cache-key'],
  ['Range', 'bytes=0-0'],
  ['Range', 'bytes=cow'],
  ['Range', 'bytes=0-,0-,0-'],
  ['If-Range', '"x"'],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"AAAAAAAAAAAAAAAAAAAAAA"'],
  ['If-Modified-Since', 'Thu, 01 Jan 2037 00:00:00 GMT'],
  ['If-Match', '"x"'],
  ['Expect', '100-continue'],
  ['TE', 'trailers'],
  ['Fastly-Debug', '1'],
] as const;

const hosts = split('evil.example localhost:1 LOCALHOST localhost. a@localhost localhost,evil.example');

/**
 * Returns the request with this number. The same seed gives the same requests. `host` is that of the site, and
 * `members` are the Cookie headers of signed-in visitors.
 */
export function mixedRequest(
  { seed, host, members }: { seed: number; host: string; members: readonly string[] },
  index: number,
): MixedRequest {
  const random = createSeededRandom(seed, index);
  const request = ordinaryRequest(random, host, members);
  if (index % 3 === 0) return request;
  const attack = random.pick(Object.keys(attacks) as (keyof typeof attacks)[]);
  attacks[attack](request, random, members);
  return { ...request, attack };
}

function ordinaryRequest(random: SeededRandom, host: string, members: readonly string[]): MixedRequest {
  const path = random.pick(pagePaths);
  const request: MixedRequest = { method: 'GET', path, headers: ['Host', host], body: '', attack: null };
  const add = (name: string, value: string) => value !== '' && request.headers.push(name, value);
  const cookies = [
    random.oneIn(3) ? `theme=${random.pick(themes)}` : '',
    random.oneIn(4) ? `locale=${random.pick(codes)}` : '',
    random.oneIn(8) ? 'language-offer=dismissed' : '',
    random.oneIn(8) ? 'guest=a.b.c' : '',
    random.oneIn(16) ? 'notice=refused' : '',
    random.oneIn(16) ? 'outcome=x' : '',
    random.oneIn(6) ? random.pick(members) : '',
  ];
  add('Accept-Language', random.pick(acceptLanguages));
  add('Accept-Encoding', random.pick(acceptEncodings));
  add('Sec-Fetch-Dest', random.pick(['document', 'document', 'document', '', 'empty']));
  add('Sec-Fetch-Site', random.pick(['none', 'same-origin', 'cross-site', '']));
  add('Cookie', cookies.filter((cookie) => cookie !== '').join('; '));
  return request;
}

type Attack = (request: MixedRequest, random: SeededRandom, members: readonly string[]) => void;

const attacks = {
  'spelling of cookies': (request, random) => {
    const theme = random.pick(themes);
    const language = random.pick(codes);
    setHeader(
      request,
      'Cookie',
      random.pick([
        `theme=${theme}; theme=${random.pick(themes)}`,
        `Theme=${theme}`,
        `x=1,theme=${theme}`,
        `theme ="${theme}"; theme = ${theme} ;`,
        `theme=${theme} x; locale=${language}`,
        `;;;theme=${theme};;`,
        `theme; theme=${theme}`,
        `theme==${theme}`,
        `xtheme=${theme}; theme2=${theme}`,
        `locale=${language}; locale=${random.pick(codes)}`,
        `locale=${language.toUpperCase()}; Locale=${language}`,
        `locale=xx; locale=${language}`,
        `language-offer=dismissed2; language-offer=dismissed; locale=${language}`,
        `language-offer=dismissed; language-offer=x; locale=${language}`,
        `language-offer = dismissed;locale=${language};theme\t=\t${theme}`,
        `a=${'b;'.repeat(random.below(2000))}theme=${theme}`,
        `$Version=1; theme=${theme}; $Path=/`,
        `theme=${theme}%3B; __proto__=${language}; constructor=x`,
      ]),
    );
  },
  'hidden session': (request, random, members) => {
    const member = random.pick(members);
    const [name = ''] = member.split('=', 1);
    setHeader(
      request,
      'Cookie',
      random.pick([
        `foo; ${member}`,
        `foo;${member}`,
        `=; ${member}`,
        `foo ;\t${member}`,
        `foo="a; ${member}`,
        `theme=dark;;${member}; theme=light`,
        `${name}=; ${member}`,
        `foo; __Host-session=x`,
        `__Host-${member}`,
        `session.1=x; theme=dark`,
        `Session=x; SESSION=y`,
        `a,${member}`,
        `x=1 ${member}`,
        `outcome; notice; session`,
        `theme=dark; notice=refused`,
        `x; outcome=e30`,
      ]),
    );
  },
  'several lines of Cookie': (request, random, members) => {
    const lines = [
      'theme=dark',
      `locale=${random.pick(codes)}`,
      random.pick(members),
      'notice=refused',
      'foo',
    ];
    setHeader(request, 'Cookie', '');
    for (let count = 0; count < 3; count++) {
      request.headers.push(random.pick(['Cookie', 'cookie', 'COOKIE']), random.pick(lines));
    }
  },
  'similar cookies': (request, random, members) => {
    setHeader(
      request,
      'Cookie',
      printable(similarCookies(random, 6000, random.oneIn(2) ? random.pick(members) : '')),
    );
  },
  'several lines of another header': (request, random) => {
    const [name, values] = random.pick([
      ['Accept-Language', acceptLanguages],
      ['Accept-Encoding', acceptEncodings],
      ['Sec-Fetch-Dest', ['document', 'empty', 'image']],
      ['Sec-Fetch-Site', ['same-origin', 'none', 'cross-site']],
    ] as const);
    request.headers.push(name, random.pick(values.filter((value) => value !== '')));
  },
  'unkeyed headers': (request, random) => {
    for (let count = random.below(3); count >= 0; count--) {
      request.headers.push(random.pick(unkeyedHeaders), random.pick(unkeyedValues));
    }
  },
  'another address': (request, random) => {
    const suffix = random.pick(pathSuffixes);
    request.path = random.pick([
      () => request.path + suffix,
      () => request.path + suffix,
      () => `/${request.path}`,
      () => request.path.toUpperCase(),
      () => `/x/..${request.path}`,
      () => `/%66r${suffix}`,
      () => `/assets${request.path}`,
      () => `/assets/..%2f${request.path.slice(1)}`,
      () => `/assets/%2e%2e${request.path}`,
      () => `/assets/missing-12345678.css${suffix}`,
      () => `${request.path}?${'a'.repeat(random.below(200))}=1&theme=dark`,
      () => `http://evil.example${request.path}`,
    ])();
  },
  'a body': (request, random) => {
    request.body = random.pick(['theme=dark', 'x', '{"a":1}']);
    request.headers.push('Content-Length', String(request.body.length));
    if (random.oneIn(2)) request.headers.push('Content-Type', 'application/x-www-form-urlencoded');
  },
  'another method': (request, random) => {
    request.method = random.pick(methods);
    if (request.method !== 'HEAD' && random.oneIn(2)) request.headers.push('Content-Length', '0');
    if (random.oneIn(2)) request.headers.push('Range', 'bytes=0-9');
  },
  'headers of caches': (request, random) => {
    for (let count = random.below(2); count >= 0; count--) request.headers.push(...random.pick(cacheHeaders));
  },
  'spelling of Accept-Language': (request, random) => {
    const code = random.pick(codes);
    setHeader(
      request,
      'Accept-Language',
      random.pick([
        `${code.toUpperCase()}`,
        `${code};q=0.5,${random.pick(codes)};q=0.51`,
        `${random.pick(codes)};q=0.1, ${code};q=0.9`,
        `${code};q=0, ${random.pick(codes)};q=0.2`,
        `${code};q=0.5,${random.pick(codes)};q=0.5`,
        `${code} ; q = 0.5`,
        `${code};level=1;q=0.3, ${random.pick(codes)};q=0.2`,
        `${code},`,
        `,${code}`,
        `,,;q=,`,
        `x-${code}, ${random.pick(codes)};q=1.0`,
        `${code}-${'a'.repeat(20)}`,
        `${code}${`,${random.pick(codes)};q=0.1`.repeat(60)}`,
        `*;q=1, ${code};q=0.1`,
        `${code}_XX`,
        `${code}|dark`,
        `${code}\t, en`,
        `en;q=1.0,${code};q=1`,
        `en-${code}`,
        `q=1;${code}`,
      ]),
    );
  },
  'spelling of Accept-Encoding': (request, random) => {
    setHeader(
      request,
      'Accept-Encoding',
      random.pick([
        'br;q=0',
        'gzip;q=0.5, br;q=0.4',
        '*',
        'GZIP',
        'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
        'x-gzip',
        'identity;q=0, br',
        'br,br,br',
        'gzipbr',
        ', gzip ,',
        'a'.repeat(300),
      ]),
    );
  },
  'spelling of fetch metadata': (request, random) => {
    setHeader(
      request,
      'Sec-Fetch-Dest',
      random.pick(['Document', 'document, empty', ' document', 'iframe', '""']),
    );
    setHeader(
      request,
      'Sec-Fetch-Site',
      random.pick(['Same-Origin', 'same-origin, none', 'same-site', '"none"']),
    );
  },
  'another host': (request, random) => {
    setHeader(request, 'Host', random.pick(hosts));
  },
  'an oversized header': (request, random) => {
    request.headers.push('X-Oversized', 'x'.repeat(random.pick([4000, 9000, 20_000])));
  },
  'a meta character': (request, random) => {
    request.headers.push('X-Meta', `a${String.fromCharCode(random.pick([1, 7, 8, 11, 12, 27, 127]))}b`);
  },
} satisfies Record<string, Attack>;

/** Replaces all lines of a header by one, or removes them for an empty value. */
function setHeader(request: MixedRequest, name: string, value: string): void {
  const others = filterHeaders(request.headers, (other) => other !== name.toLowerCase());
  request.headers = value === '' ? others : [...others, name, value];
}

/** Keeps the headers whose names, in lower case, fulfill the condition. */
export function filterHeaders(headers: readonly string[], isKept: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name = '', value = ''] = headers.slice(index, index + 2);
    if (isKept(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** The text without what a header cannot contain. */
function printable(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?');
}

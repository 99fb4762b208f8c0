/**
 * Requests that nobody should send, made up by chance but the same for the same seed: each is told by the seed and its
 * number alone, so that one that did harm can be made again.
 */
import { locales, localizePath } from '../../app/i18n/locales.ts';
import { pages } from '../../app/pages.ts';
import type { RawRequest } from './raw-http.ts';

/** What a page must never hold as it stands here. */
export const MARKUP = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>'] as const;

export type Chance = {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  oneOf<T>(items: readonly T[]): T;
  /** True once in `times`. */
  once(times: number): boolean;
};

/** Numbers by chance from two seeds (Mulberry32). */
export function createChance(seed: number, index: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    once: (times) => below(times) === 0,
    oneOf(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('Nothing to choose from');
      return item;
    },
  };
}

const pagePaths = pages.flatMap(({ slug }) => locales.map((locale) => localizePath(`/${slug}`, locale)));
const resources = [
  ...['/auth/sign-in', '/auth/sign-up', '/auth/callback', '/auth/sign-out', '/api/graphql', '/api/identity'],
  ...['/api/icons/lucide.json', '/preferences', '/sitemap.xml', '/robots.txt', '/manifest.webmanifest'],
];
const files = [
  '/assets/x.js',
  '/favicon.ico',
  '/locales/fr/common.json',
  '/healthz',
  '/readyz',
  '/builds/latest.json',
];
const elsewhere = [
  '/__manifest',
  '/_root.data',
  '/nowhere',
  '/.env',
  '/.git/HEAD',
  '/server.ts.map',
  '/en',
  '/FR/',
];
const paths = [...pagePaths, ...resources, ...files, ...elsewhere];

const methods = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
];
const parameters = [
  ...[
    'returnTo',
    'locale',
    'theme',
    'content',
    'intent',
    'id',
    'code',
    'state',
    'error',
    'error_description',
    'iss',
  ],
  ...['lang', 'after', 'icons', '_routes', '_data', 'index', 'p', 'version', '__proto__', 'constructor'],
];
const values = [
  ...MARKUP,
  ...[
    '',
    '0',
    '-1',
    'NaN',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
    '[object Object]',
    'é',
    '\u202e',
    '💥',
    '\ufeff',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'lng',
    '{{count}}',
    '$t(common:home)',
    '#{7*7}',
  ],
  ...[
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/auth/sign-out',
    '/.//x',
  ],
  ...[
    '%00',
    '%',
    '%zz',
    '%c0%ae%c0%ae/',
    '..%2f..%2fetc%2fpasswd',
    '../../etc/passwd',
    '%0d%0aset-cookie:%20a=b',
  ],
  ...[
    "' or 1=1--",
    '; cat /etc/passwd',
    '$(id)',
    '| id',
    'a'.repeat(500),
    'a'.repeat(3000),
    '/a'.repeat(300),
    '('.repeat(400),
  ],
  ...[
    'fr',
    'ar',
    'dark',
    '/fr/test-message',
    'access_denied',
    'server_error',
    'a,b',
    'root',
    'delete',
    'en-US,fr;q=0.9',
  ],
];
const contentTypes = [
  ...[
    'application/x-www-form-urlencoded',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'text/html',
  ],
  ...[
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'x',
    '',
    '/',
    ';;',
  ],
];
const headerNames = [
  ...[
    'accept',
    'accept-language',
    'accept-encoding',
    'origin',
    'referer',
    'sec-fetch-site',
    'sec-fetch-dest',
    'sec-purpose',
  ],
  ...[
    'range',
    'if-none-match',
    'if-modified-since',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
  ],
  ...[
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-remix-revalidate',
    'authorization',
    'x-amz-date',
  ],
  ...[
    'content-encoding',
    'upgrade',
    'te',
    'expect',
    'x-request-id',
    'traceparent',
    'cache-control',
    'via',
    'user-agent',
  ],
];
const headerValues = [
  ...values,
  ...[
    'text/html',
    '*/*',
    'application/json',
    'same-origin',
    'cross-site',
    'none',
    'document',
    'empty',
    'prefetch',
    'gzip',
  ],
  ...[
    'bytes=0-0',
    `bytes=${'0-,'.repeat(200)}`,
    'W/"x"',
    '"x", *',
    '127.0.0.1, ::1',
    'de-AT;q=0.9,*;q=x',
    '100-continue',
  ],
  ...[
    'fr;q=',
    ', '.repeat(200),
    `en${'-a'.repeat(250)}`,
    'websocket',
    'h2c',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'br;q=9,x',
  ],
];

/** One request; `sessions` are cookie headers of people who are signed in, to be used whole or in pieces. */
export function hostileRequest(chance: Chance, sessions: readonly string[]): RawRequest {
  const method = chance.oneOf(methods);
  const path = pathOf(chance);
  if (method !== 'POST' && !chance.once(10))
    return { method, path, headers: headersOf(chance, sessions, false) };
  const body = bodyOf(chance);
  // Node's client frames the body of a POST by itself, and of no other method.
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return { method, path, headers: { ...headersOf(chance, sessions, true), ...length }, body };
}

function pathOf(chance: Chance): string {
  const path = chance.once(3) ? damaged(chance, chance.oneOf(paths)) : chance.oneOf(paths);
  const ending = chance.oneOf(['', '', '', '.data', '/', '/_payload.json', '.data/x', '%2e', ';a=b']);
  const query = chance.once(2) ? `?${fieldsOf(chance, chance.once(2))}` : '';
  // What no client can put on a request line is escaped.
  return (path + ending + query).replace(/[^\u0021-\u007e]|#/gu, percentEncoded);
}

function damaged(chance: Chance, text: string): string {
  // Without its first slash a path is no request at all, and the answer to that does not know a HEAD.
  const at = 1 + chance.below(text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return chance.oneOf([
    () => before + chance.oneOf(values) + after,
    () => `${before}/${chance.oneOf(['..', '.', '%2e%2e', '', '\\', '%5c', '%2f'])}/${after}`,
    () => `${before}%${chance.below(256).toString(16).padStart(2, '0')}${after}`,
    () => before + String.fromCharCode(0x21 + chance.below(0xde)) + after,
    () => before.toUpperCase() + after,
    () => before,
    () => `/${text}`,
  ])();
}

function fieldsOf(chance: Chance, encoded: boolean): string {
  return Array.from({ length: 1 + chance.below(4) }, () => {
    const value = chance.oneOf(values);
    return `${chance.oneOf(parameters)}=${encoded ? percentEncoded(value) : value}`;
  }).join('&');
}

function percentEncoded(text: string): string {
  // Half of a pair of surrogates cannot be encoded: it becomes U+FFFD.
  return encodeURIComponent(Buffer.from(text).toString());
}

function headersOf(chance: Chance, sessions: readonly string[], hasBody: boolean): Record<string, string> {
  const given = Array.from({ length: chance.below(4) }, () => [
    chance.oneOf(headerNames),
    chance.oneOf(headerValues),
  ]);
  const headers = Object.fromEntries([
    ...(chance.once(2) ? [] : [['sec-fetch-site', 'same-origin']]),
    ...(hasBody ? [['content-type', chance.oneOf(contentTypes)]] : []),
    ...(chance.once(2) ? [['cookie', cookieOf(chance, sessions)]] : []),
    ...given,
  ]);
  // What no client can put into a header is replaced.
  for (const [name, value] of Object.entries<string>(headers)) {
    headers[name] = value.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?').slice(0, 4000);
  }
  return headers;
}

const cookieNames = [
  ...[
    '__Host-session',
    '__Host-session.1',
    '__Host-session.99',
    '__Host-oauth.x',
    '__Host-guest',
    '__Host-notice',
  ],
  ...['__Host-outcome', 'locale', 'theme', '__proto__', 'a'],
];

function cookieOf(chance: Chance, sessions: readonly string[]): string {
  const made = () => `${chance.oneOf(cookieNames)}=${chance.oneOf(values).replaceAll(';', '')}`;
  const session = chance.oneOf(sessions);
  return chance.oneOf([
    () => Array.from({ length: 1 + chance.below(4) }, made).join(chance.oneOf(['; ', ';', ';;'])),
    () => `${session}; ${made()}`,
    () => `${made()}; ${session}`,
    () => damaged(chance, session),
    () => session.split('; ').reverse().join('; '),
    () => session.split('; ').slice(0, -1).join('; '),
    // The first part of one visitor's session and the rest of another's.
    () => [...session.split('; ').slice(0, 1), ...chance.oneOf(sessions).split('; ').slice(1)].join('; '),
    () => session.replaceAll('__Host-session', chance.oneOf(cookieNames)),
  ])();
}

function bodyOf(chance: Chance): string | Buffer {
  const query = chance.oneOf([
    '{__schema{types{name}}}',
    'mutation{deleteMessage(id:"x"){id}}',
    '{'.repeat(5000),
    '',
  ]);
  return chance.oneOf<() => string | Buffer>([
    () => fieldsOf(chance, true),
    () => fieldsOf(chance, false),
    () => JSON.stringify({ query, variables: { [chance.oneOf(parameters)]: chance.oneOf(values) } }),
    () => `${'['.repeat(chance.below(20_000))}`,
    () =>
      `--x\r\ncontent-disposition: form-data; name="${chance.oneOf(parameters)}"\r\n\r\n${chance.oneOf(values)}\r\n--x--\r\n`,
    () => `--x\r\n${chance.oneOf(values)}\r\n`.repeat(chance.below(50)),
    () => Buffer.from(Array.from({ length: chance.below(2000) }, () => chance.below(256))),
    () => 'a=b&'.repeat(chance.below(15_000)),
    () => '',
  ])();
}

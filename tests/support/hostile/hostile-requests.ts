/**
 * Requests that nobody should send, made up by chance but the same for the same seed: each is told by the seed and its
 * number alone, so that one that did harm can be made again.
 */

import type { RawRequest } from '../http/raw-http.ts';
import * as hostile from './hostile-values.ts';
import { nearlyRightRequest } from './nearly-valid-requests.ts';
import type { Chance } from './seeded-random.ts';

/** One visitor's address, from which far more comes than is allowed. */
const FLOODING = '203.0.113.7';

/**
 * One request; `sessions` are cookie headers of people who are signed in, to be used whole or in pieces. Some are as
 * the site wants them but for one thing, the others like nothing at all.
 */
export function hostileRequest(chance: Chance, sessions: readonly string[]): RawRequest {
  const request = chance.once(4) ? nearlyRightRequest(chance, sessions) : madeUpRequest(chance, sessions);
  const from = chance.once(4)
    ? FLOODING
    : `10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`;
  return { ...request, headers: sendable({ 'x-forwarded-for': from, ...request.headers }) };
}

function madeUpRequest(chance: Chance, sessions: readonly string[]): RawRequest {
  const method = chance.oneOf(hostile.methods);
  const path = pathOf(chance);
  const headers = headersOf(chance, sessions);
  if (method !== 'POST' && !chance.once(10)) return { method, path, headers };
  const body = bodyOf(chance);
  // Node's client frames the body of a POST by itself, and of no other method.
  const described = {
    'content-type': chance.oneOf(hostile.contentTypes),
    'content-length': String(Buffer.byteLength(body)),
  };
  return { method, path, headers: { ...described, ...headers }, body };
}

/** Headers with what no client can put into one replaced. */
function sendable(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?')]),
  );
}

function pathOf(chance: Chance): string {
  const known = chance.oneOf(chance.once(3) ? hostile.pagePaths : hostile.otherPaths);
  const path = chance.once(3) ? damaged(chance, known) : known;
  const ending = chance.once(3)
    ? chance.oneOf(['.data', '/', '/_payload.json', '.data/x', '%2e', ';a=b'])
    : '';
  const query = chance.once(2) ? `?${fieldsOf(chance, chance.once(2))}` : '';
  // What no client can put on a request line is escaped.
  return (path + ending + query).replace(/[^\u0021-\u007e]|#/gu, percentEncoded);
}

function damaged(chance: Chance, text: string): string {
  // Without its first slash a path is no request at all, and the answer to that does not know a HEAD.
  const at = 1 + chance.below(text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return chance.oneOf([
    () => before + chance.oneOf(hostile.values) + after,
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
    const value = chance.oneOf(hostile.values);
    return `${chance.oneOf(hostile.parameters)}=${encoded ? percentEncoded(value) : value}`;
  }).join('&');
}

function percentEncoded(text: string): string {
  // Half of a pair of surrogates cannot be encoded: it becomes U+FFFD.
  return encodeURIComponent(Buffer.from(text).toString());
}

function headersOf(chance: Chance, sessions: readonly string[]): Record<string, string> {
  const given = Array.from({ length: chance.below(4) }, () => [
    chance.oneOf(hostile.headerNames),
    chance.oneOf(hostile.headerValues),
  ]);
  return Object.fromEntries([
    ...(chance.once(4) ? [] : [['sec-fetch-site', 'same-origin']]),
    ...(chance.once(3) ? [['cookie', cookieOf(chance, sessions)]] : []),
    ...(chance.once(50) ? [['host', chance.oneOf(hostile.hosts)]] : []),
    ...given,
  ]);
}

function cookieOf(chance: Chance, sessions: readonly string[]): string {
  const made = () =>
    `${chance.oneOf(hostile.cookieNames)}=${chance.oneOf(hostile.values).replaceAll(';', '')}`;
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
    () => session.replaceAll('__Host-session', chance.oneOf(hostile.cookieNames)),
  ])();
}

function bodyOf(chance: Chance): string | Buffer {
  const query = chance.oneOf(['{__schema{types{name}}}', 'mutation{x(id:"x"){id}}', '{'.repeat(5000), '']);
  const [name, value] = [chance.oneOf(hostile.parameters), chance.oneOf(hostile.values)];
  return chance.oneOf<() => string | Buffer>([
    () => fieldsOf(chance, true),
    () => fieldsOf(chance, false),
    () => JSON.stringify({ query, variables: { [name]: value } }),
    () => `${'['.repeat(chance.below(20_000))}`,
    () => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`,
    () => `--x\r\n${value}\r\n`.repeat(chance.below(50)),
    () => Buffer.from(Array.from({ length: chance.below(2000) }, () => chance.below(256))),
    () => 'a=b&'.repeat(chance.below(15_000)),
    () => '',
  ])();
}

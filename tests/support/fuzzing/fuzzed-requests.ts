/**
 * Requests that nobody should send, made up by chance but the same for the same seed: each is told by the seed and its
 * number alone, so that one that did harm can be made again.
 */

import type { RawRequest } from '../http/raw-request.ts';
import * as hostile from './fuzz-values.ts';
import { nearlyValidRequest } from './nearly-valid-requests.ts';
import type { SeededRandom } from './seeded-random.ts';

/** One visitor's address, from which far more comes than is allowed. */
const FLOOD_ADDRESS = '203.0.113.7';

/**
 * One request; `sessions` are cookie headers of people who are signed in, to be used whole or in pieces. Some are as
 * the site wants them but for one thing, the others like nothing at all.
 */
export function fuzzedRequest(chance: SeededRandom, sessions: readonly string[]): RawRequest {
  const request = chance.oneIn(4) ? nearlyValidRequest(chance, sessions) : randomRequest(chance, sessions);
  const from = chance.oneIn(4)
    ? FLOOD_ADDRESS
    : `10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`;
  return { ...request, headers: sanitizeHeaders({ 'x-forwarded-for': from, ...request.headers }) };
}

function randomRequest(chance: SeededRandom, sessions: readonly string[]): RawRequest {
  const method = chance.pick(hostile.methods);
  const path = randomPath(chance);
  const headers = randomHeaders(chance, sessions);
  if (method !== 'POST' && !chance.oneIn(10)) return { method, path, headers };
  const body = randomBody(chance);
  // Node's client frames the body of a POST by itself, and of no other method.
  const described = {
    'content-type': chance.pick(hostile.contentTypes),
    'content-length': String(Buffer.byteLength(body)),
  };
  return { method, path, headers: { ...described, ...headers }, body };
}

/** Headers with what no client can put into one replaced. */
function sanitizeHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?')]),
  );
}

function randomPath(chance: SeededRandom): string {
  const known = chance.pick(chance.oneIn(3) ? hostile.pagePaths : hostile.otherPaths);
  const path = chance.oneIn(3) ? corruptText(chance, known) : known;
  const ending = chance.oneIn(3)
    ? chance.pick(['.data', '/', '/_payload.json', '.data/x', '%2e', ';a=b'])
    : '';
  const query = chance.oneIn(2) ? `?${randomFields(chance, chance.oneIn(2))}` : '';
  // What no client can put on a request line is escaped.
  return (path + ending + query).replace(/[^\u0021-\u007e]|#/gu, percentEncode);
}

function corruptText(chance: SeededRandom, text: string): string {
  // Without its first slash a path is no request at all, and the answer to that does not know a HEAD.
  const at = 1 + chance.below(text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return chance.pick([
    () => before + chance.pick(hostile.values) + after,
    () => `${before}/${chance.pick(['..', '.', '%2e%2e', '', '\\', '%5c', '%2f'])}/${after}`,
    () => `${before}%${chance.below(256).toString(16).padStart(2, '0')}${after}`,
    () => before + String.fromCharCode(0x21 + chance.below(0xde)) + after,
    () => before.toUpperCase() + after,
    () => before,
    () => `/${text}`,
  ])();
}

function randomFields(chance: SeededRandom, encoded: boolean): string {
  return Array.from({ length: 1 + chance.below(4) }, () => {
    const value = chance.pick(hostile.values);
    return `${chance.pick(hostile.parameters)}=${encoded ? percentEncode(value) : value}`;
  }).join('&');
}

function percentEncode(text: string): string {
  // Half of a pair of surrogates cannot be encoded: it becomes U+FFFD.
  return encodeURIComponent(Buffer.from(text).toString());
}

function randomHeaders(chance: SeededRandom, sessions: readonly string[]): Record<string, string> {
  const given = Array.from({ length: chance.below(4) }, () => [
    chance.pick(hostile.headerNames),
    chance.pick(hostile.headerValues),
  ]);
  return Object.fromEntries([
    ...(chance.oneIn(4) ? [] : [['sec-fetch-site', 'same-origin']]),
    ...(chance.oneIn(3) ? [['cookie', randomCookie(chance, sessions)]] : []),
    ...(chance.oneIn(50) ? [['host', chance.pick(hostile.hosts)]] : []),
    ...given,
  ]);
}

function randomCookie(chance: SeededRandom, sessions: readonly string[]): string {
  const made = () => `${chance.pick(hostile.cookieNames)}=${chance.pick(hostile.values).replaceAll(';', '')}`;
  const session = chance.pick(sessions);
  return chance.pick([
    () => Array.from({ length: 1 + chance.below(4) }, made).join(chance.pick(['; ', ';', ';;'])),
    () => `${session}; ${made()}`,
    () => `${made()}; ${session}`,
    () => corruptText(chance, session),
    () => session.split('; ').reverse().join('; '),
    () => session.split('; ').slice(0, -1).join('; '),
    // The first part of one visitor's session and the rest of another's.
    () => [...session.split('; ').slice(0, 1), ...chance.pick(sessions).split('; ').slice(1)].join('; '),
    () => session.replaceAll('__Host-session', chance.pick(hostile.cookieNames)),
  ])();
}

function randomBody(chance: SeededRandom): string | Buffer {
  const query = chance.pick(['{__schema{types{name}}}', 'mutation{x(id:"x"){id}}', '{'.repeat(5000), '']);
  const [name, value] = [chance.pick(hostile.parameters), chance.pick(hostile.values)];
  return chance.pick<() => string | Buffer>([
    () => randomFields(chance, true),
    () => randomFields(chance, false),
    () => JSON.stringify({ query, variables: { [name]: value } }),
    () => `${'['.repeat(chance.below(20_000))}`,
    () => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`,
    () => `--x\r\n${value}\r\n`.repeat(chance.below(50)),
    () => Buffer.from(Array.from({ length: chance.below(2000) }, () => chance.below(256))),
    () => 'a=b&'.repeat(chance.below(15_000)),
    () => '',
  ])();
}

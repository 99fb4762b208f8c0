/**
 * Malformed and malicious requests. The seed and the number of a request determine it completely, so that a failure
 * can be reproduced.
 */
import { encodeTarget, percentEncode, type RawRequest, sanitizeHeaders } from '../http/raw-request.ts';
import { pagePaths } from '../localized-pages.ts';
import * as fuzz from './fuzz-values.ts';
import { nearlyValidRequest } from './nearly-valid-requests.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The address of a visitor who exceeds every rate limit. */
const FLOOD_ADDRESS = '203.0.113.7';

/**
 * Returns one request, either nearly valid or entirely random. `sessions` are the cookie headers of signed-in visitors,
 * which are used complete or in parts.
 */
export function fuzzedRequest(random: SeededRandom, sessions: readonly string[]): RawRequest {
  const request = random.oneIn(4) ? nearlyValidRequest(random, sessions) : randomRequest(random, sessions);
  const address = random.oneIn(4)
    ? FLOOD_ADDRESS
    : `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`;
  return { ...request, headers: sanitizeHeaders({ 'x-forwarded-for': address, ...request.headers }) };
}

function randomRequest(random: SeededRandom, sessions: readonly string[]): RawRequest {
  const method = random.pick(fuzz.methods);
  const path = randomPath(random);
  const headers = randomHeaders(random, sessions);
  if (method !== 'POST' && !random.oneIn(10)) return { method, path, headers };
  const body = randomBody(random);
  // Node's client adds the framing headers of a body for POST only.
  const described = {
    'content-type': random.pick(fuzz.contentTypes),
    'content-length': String(Buffer.byteLength(body)),
  };
  return { method, path, headers: { ...described, ...headers }, body };
}

function randomPath(random: SeededRandom): string {
  const known = random.pick(random.oneIn(3) ? pagePaths : fuzz.otherPaths);
  const path = random.oneIn(3) ? corruptText(random, known) : known;
  const ending = random.oneIn(3)
    ? random.pick(['.data', '/', '/_payload.json', '.data/x', '%2e', ';a=b'])
    : '';
  const query = random.oneIn(2) ? `?${randomFields(random, random.oneIn(2))}` : '';
  return encodeTarget(path + ending + query);
}

function corruptText(random: SeededRandom, text: string): string {
  // Without the leading slash the request cannot be parsed, and the error response has a body also for HEAD.
  const at = 1 + random.below(text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  return random.pick([
    () => before + random.pick(fuzz.values) + after,
    () => `${before}/${random.pick(['..', '.', '%2e%2e', '', '\\', '%5c', '%2f'])}/${after}`,
    () => `${before}%${random.below(256).toString(16).padStart(2, '0')}${after}`,
    () => before + String.fromCharCode(0x21 + random.below(0xde)) + after,
    () => before.toUpperCase() + after,
    () => before,
    () => `/${text}`,
  ])();
}

function randomFields(random: SeededRandom, isEncoded: boolean): string {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const value = random.pick(fuzz.values);
    return `${random.pick(fuzz.parameters)}=${isEncoded ? percentEncode(value) : value}`;
  }).join('&');
}

function randomHeaders(random: SeededRandom, sessions: readonly string[]): Record<string, string> {
  const chosen = Array.from({ length: random.below(4) }, () => [
    random.pick(fuzz.headerNames),
    random.pick(fuzz.headerValues),
  ]);
  return Object.fromEntries([
    ...(random.oneIn(4) ? [] : [['sec-fetch-site', 'same-origin']]),
    ...(random.oneIn(3) ? [['cookie', randomCookie(random, sessions)]] : []),
    ...(random.oneIn(50) ? [['host', random.pick(fuzz.hosts)]] : []),
    ...chosen,
  ]);
}

function randomCookie(random: SeededRandom, sessions: readonly string[]): string {
  const randomPair = () => `${random.pick(fuzz.cookieNames)}=${random.pick(fuzz.values).replaceAll(';', '')}`;
  const session = random.pick(sessions);
  return random.pick([
    () => Array.from({ length: 1 + random.below(4) }, randomPair).join(random.pick(['; ', ';', ';;'])),
    () => `${session}; ${randomPair()}`,
    () => `${randomPair()}; ${session}`,
    () => corruptText(random, session),
    () => session.split('; ').reverse().join('; '),
    () => session.split('; ').slice(0, -1).join('; '),
    // The first part of one visitor's session and the rest of another's.
    () => [...session.split('; ').slice(0, 1), ...random.pick(sessions).split('; ').slice(1)].join('; '),
    () => session.replaceAll('session', random.pick(fuzz.cookieNames)),
  ])();
}

function randomBody(random: SeededRandom): string | Buffer {
  const query = random.pick(['{__schema{types{name}}}', 'mutation{x(id:"x"){id}}', '{'.repeat(5000), '']);
  const [name, value] = [random.pick(fuzz.parameters), random.pick(fuzz.values)];
  return random.pick<() => string | Buffer>([
    () => randomFields(random, true),
    () => randomFields(random, false),
    () => JSON.stringify({ query, variables: { [name]: value } }),
    () => `${'['.repeat(random.below(20_000))}`,
    () => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`,
    () => `--x\r\n${value}\r\n`.repeat(random.below(50)),
    () => Buffer.from(Array.from({ length: random.below(2000) }, () => random.below(256))),
    () => 'a=b&'.repeat(random.below(15_000)),
    () => '',
  ])();
}

/**
 * Requests that are as large as the limits allow, or larger. The seed and the number of a request determine it
 * completely, except for the cookies of the visitors.
 */
import { encodeTarget, type RawRequest, sanitizeHeaders } from '../http/raw-request.ts';
import { pagePaths } from '../localized-pages.ts';
import * as fuzz from './fuzz-values.ts';
import { largeForm, largeOperation, largeReport, type TypedBody } from './large-bodies.ts';
import { largeDocument } from './large-documents.ts';
import { limits } from './limits.ts';
import { lengthAround, longText } from './long-texts.ts';
import type { SeededRandom } from './seeded-random.ts';
import { similarCookies } from './similar-cookies.ts';

/** The cookies of visitors: signed in, or at the hosted login. */
export type Visitors = {
  sessions: readonly string[];
  attempts: readonly { cookie: string; state: string }[];
};

/** Node rejects a larger head. */
const MAX_HEAD = 31_000;

/** Returns one request. */
export function largeRequest(random: SeededRandom, visitors: Visitors): RawRequest {
  const { headers, ...request } = random.pick([
    () => withLongQuery(random, visitors),
    () => withSimilarCookies(random, visitors),
    () => withLongHeaders(random),
    () => withForm(random, visitors),
    () => withJson(random, visitors),
    () => withDocument(random, visitors),
    () => withDocument(random, visitors),
    () => callback(random, visitors),
  ])();
  const sent: Record<string, string> = {
    'sec-fetch-site': 'same-origin',
    ...randomAddress(random),
    ...headers,
  };
  if (request.body !== undefined) sent['content-length'] = String(Buffer.byteLength(request.body));
  return { ...request, headers: sanitizeHeaders(sent) };
}

function randomAddress(random: SeededRandom): Record<string, string> {
  return { 'x-forwarded-for': `10.${random.below(256)}.${random.below(256)}.${random.below(256)}` };
}

/** Half of the requests come from signed-in visitors. */
function session(random: SeededRandom, { sessions }: Visitors): Record<string, string> {
  return random.oneIn(2) ? { cookie: random.pick(sessions) } : {};
}

function randomPath(random: SeededRandom): string {
  const page = random.pick(pagePaths);
  return random.pick([
    () => page,
    () => page,
    () => `${page === '/' ? '/_root' : page}.data`,
    () => random.pick(fuzz.otherPaths),
    () => `/${longText(random, random.below(limits.path)).replace(/[#?\\]/g, '')}`,
  ])();
}

function withLongQuery(random: SeededRandom, visitors: Visitors): RawRequest {
  const length = lengthAround(random, limits.query, 20_000);
  const name = random.pick(fuzz.parameters);
  const query = random.pick([
    () => `${name}=${longText(random, length)}`,
    () => `${name}=${longText(random, length)}`,
    () => longText(random, length),
    () => `${name}=x&`.repeat(length),
    () => Array.from({ length: length / 4 }, (_, index) => `p${index}`).join('&'),
    () => `${encodeEach(name)}=${encodeEach(longText(random, length / 3))}`,
    () => `${encodeEach('_data', random)}=root&${longText(random, length)}`,
  ])();
  const path = `${randomPath(random)}?${query}`.slice(0, limits.path + length);
  return { path: encodeTarget(path), headers: { ...session(random, visitors), ...documentHeaders(random) } };
}

function withSimilarCookies(random: SeededRandom, visitors: Visitors): RawRequest {
  const cookie = similarCookies(
    random,
    random.pick([500, 4000, 16_000, MAX_HEAD - 2000]),
    random.pick(visitors.sessions),
  );
  const headers = { cookie, ...documentHeaders(random) };
  return random.pick<() => RawRequest>([
    () => ({ path: encodeTarget(randomPath(random)), headers }),
    () => ({ path: random.pick(pagePaths), headers }),
    () => ({ path: random.pick(['/auth/sign-in', '/auth/sign-up']), headers }),
    () => ({ path: '/api/identity', headers }),
    () =>
      post(random.pick(['/auth/sign-out', '/auth/sign-out', '/preferences']), headers, {
        type: 'application/x-www-form-urlencoded',
        body: 'theme=dark&returnTo=/',
      }),
  ])();
}

function withLongHeaders(random: SeededRandom): RawRequest {
  const length = random.pick([1000, 8000, MAX_HEAD - 1000]);
  const one = () => [random.pick(fuzz.headerNames), longText(random, length)] as const;
  const many = () =>
    Array.from({ length: length / 10 }, (_, index) => [`x-${index}`, random.pick(['', 'y'])] as const);
  return { path: random.pick(pagePaths), headers: Object.fromEntries(random.oneIn(3) ? many() : [one()]) };
}

function withForm(random: SeededRandom, visitors: Visitors): RawRequest {
  const page = random.pick(pagePaths);
  const path = random.pick([
    '/preferences',
    '/preferences.data',
    '/auth/sign-out',
    '/test-message',
    '/ar/test-message.data',
    page,
  ]);
  // Ending a session would make every later request with it cheap.
  const headers = path === '/auth/sign-out' ? {} : session(random, visitors);
  return post(path, { ...headers, ...documentHeaders(random) }, largeForm(random));
}

function withJson(random: SeededRandom, { sessions }: Visitors): RawRequest {
  if (random.oneIn(8)) return post('/csp-reports', {}, largeReport(random));
  return post('/api/graphql', { cookie: random.pick(sessions) }, largeOperation(random));
}

function withDocument(random: SeededRandom, { sessions }: Visitors): RawRequest {
  const body = JSON.stringify({ query: largeDocument(random) });
  return post('/api/graphql', { cookie: random.pick(sessions) }, { type: 'application/json', body });
}

/** A return from the hosted login, whose sender has begun a sign-in. */
function callback(random: SeededRandom, { attempts }: Visitors): RawRequest {
  const { cookie, state } = random.pick(attempts);
  const length = lengthAround(random, limits.query - 200, MAX_HEAD - cookie.length - 500);
  const text = longText(random, length);
  const query = random.pick([
    () => `state=${state}&error=${text}`,
    () => `state=${state}&error=${text}`,
    () => `state=${state}&error=access_denied&error_description=${text}`,
    () => `state=${state}&code=${text}`,
    () => `state=${state}&code=x&iss=${text}`,
    () => `state=${text}&code=x`,
    () => `state=${text}&error=x`,
    () => `state=${state}&state=${text}&error=x`,
  ])();
  return {
    path: encodeTarget(`/auth/callback?${query}`).slice(0, limits.path + length + 200),
    headers: { cookie },
  };
}

function post(path: string, headers: Record<string, string>, { type, body }: TypedBody): RawRequest {
  return { method: 'POST', path, headers: { ...headers, 'content-type': type }, body };
}

function documentHeaders(random: SeededRandom): Record<string, string> {
  return random.oneIn(2) ? { accept: 'text/html', 'sec-fetch-dest': 'document' } : {};
}

/** Encodes every character, or some of them, as a percent-encoded byte. */
function encodeEach(text: string, random?: SeededRandom): string {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return text.replace(/[!-~]/g, (character) => (random?.oneIn(2) ? character : encode(character)));
}

/** Requests as the site's own pages send them, with one defect. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOperations } from '../../../packages/appsync-proxy/src/proxy/trusted-documents.ts';
import type { RawRequest } from '../http/raw-request.ts';
import { formSubmission } from '../http/site-requests.ts';
import { pagePaths } from '../localized-pages.ts';
import { other } from '../this-site.ts';
import * as fuzz from './fuzz-values.ts';
import type { SeededRandom } from './seeded-random.ts';

type BuiltRequest = { method: string; path: string; headers: Record<string, string>; body: string };

const MEGABYTE = 1024 * 1024;
const json = { 'content-type': 'application/json' };

/** The queries and mutations that the GraphQL proxy accepts. */
const shipped = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.graphql') && !file.endsWith('.server.graphql'))
  .flatMap((file) => parseOperations(readFileSync(join('app', file), 'utf8')))
  .filter(({ kind }) => kind !== 'subscription');

/** Returns one request. `sessions` are the cookie headers of signed-in visitors. */
export function nearlyValidRequest(random: SeededRandom, sessions: readonly string[]): RawRequest {
  const value = random.pick(fuzz.values);
  const valid = validRequest(random, value);
  // Most pages are requested without a cookie: the page cache serves them, which leaves time for the other requests.
  const isAnonymous = valid.body === '' ? !random.oneIn(3) : random.oneIn(4);
  const cookie: Record<string, string> = isAnonymous ? {} : { cookie: random.pick(sessions) };
  const headers = { 'sec-fetch-site': 'same-origin', ...cookie, ...valid.headers };
  const { body, ...corrupted } = corruptRequest(random, { ...valid, headers });
  if (body === '') return corrupted;
  const framing: Record<string, string> =
    corrupted.method === 'POST' && random.oneIn(8)
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(Buffer.byteLength(body)) };
  return { ...corrupted, headers: { ...framing, ...corrupted.headers }, body };
}

function validRequest(random: SeededRandom, value: string): BuiltRequest {
  const get = (path: string, headers: Record<string, string> = {}): BuiltRequest => ({
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const post = (path: string, fields: Record<string, string>) => ({ path, ...formSubmission(fields) });
  const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const page = random.pick(pagePaths);
  const messages = page.includes('test-message') ? page : '/test-message';
  return random.pick([
    () => get(page),
    () => get(`${page === '/' ? '/_index' : page}.data`),
    () => get(`/test-message?${query({ after: value })}`),
    () => get(`/typography-demo?${query({ size: value, family: value })}`),
    () => get(`/auth/sign-in?${query({ returnTo: value })}`),
    () => get(`/auth/callback?${query({ code: value, state: value })}`),
    () => get(`/auth/callback?${query({ error: value, state: value, error_description: value })}`),
    () => get('/api/identity'),
    () => get(`/api/icons/lucide.json?${query({ icons: value })}`),
    () => get('/favicon.ico', { [random.pick(['if-none-match', 'if-match', 'range'])]: value }),
    () =>
      get(`/locales/${other.code}/common.json`, {
        range: random.pick(['bytes=0-9', 'bytes=9999999-', value]),
      }),
    () => get(page, { 'if-none-match': random.pick(['*', value]) }),
    () => post('/preferences', { theme: random.pick(['dark', value]), returnTo: value }),
    () => post('/preferences', { locale: random.pick([other.code, value]), returnTo: value }),
    () => post(messages, { intent: 'post', content: value, key: value }),
    () => post(messages, { intent: random.pick(['delete', value]), id: value }),
    () => operation(random, value),
    () => operation(random, value),
    () => operation(random, value),
    // Rare, because it ends the session for all following requests.
    () => (random.oneIn(10) ? post('/auth/sign-out', { returnTo: value }) : get('/readyz')),
  ])();
}

function operation(random: SeededRandom, value: string): BuiltRequest {
  const { operationName, query } = random.pick(shipped);
  const variables = Object.fromEntries(
    [...query.matchAll(/\$(\w+):/g)].map(([, name]) => [name, random.pick<unknown>([value, value, 20, -1])]),
  );
  const name = random.pick([operationName, operationName, value]);
  const body = JSON.stringify({ query, operationName: name, variables });
  return { method: 'POST', path: '/api/graphql', headers: json, body };
}

function corruptRequest(random: SeededRandom, request: BuiltRequest): BuiltRequest {
  const { method, path, headers, body } = request;
  const withHeaders = (more: Record<string, string>) => ({ ...request, headers: { ...headers, ...more } });
  if (!random.oneIn(3)) return request;
  return random.pick<() => BuiltRequest>([
    () => ({ ...request, method: random.pick(fuzz.methods) }),
    () => ({ ...request, path: path.replace('/', `/${'a'.repeat(random.below(2000))}`) }),
    () => ({ ...request, path: `${path}${path.includes('?') ? '&' : '?'}_data=root` }),
    () => ({ ...request, body: body.slice(0, random.below(body.length + 1)) }),
    () =>
      method === 'POST' && random.oneIn(2) ? { ...request, body: oversizedBody(random, body) } : request,
    () => withHeaders({ 'content-type': random.pick(fuzz.contentTypes) }),
    () => withHeaders({ 'content-encoding': random.pick(['gzip', 'br', 'x']) }),
    () => withHeaders({ 'sec-fetch-site': random.pick(['cross-site', 'same-site', 'none', 'x']) }),
    () => withHeaders({ origin: random.pick(['https://evil.example', 'null', '', 'x']) }),
    () => withHeaders({ host: random.pick(fuzz.hosts) }),
    () => withHeaders({ cookie: `a=${'a'.repeat(20_000 + random.below(20_000))}` }),
    () => withHeaders({ [random.pick(fuzz.headerNames)]: random.pick(fuzz.headerValues) }),
  ])();
}

/** Extends a body beyond the limit, by a few bytes or by up to a mebibyte. */
function oversizedBody(random: SeededRandom, body: string): string {
  return body + 'x'.repeat(MEGABYTE - body.length + 1 + random.below(random.pick([10, MEGABYTE])));
}

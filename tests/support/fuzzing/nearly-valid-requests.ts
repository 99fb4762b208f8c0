/** Requests as the site's own pages send them, with one thing about them that is not as it should be. */
import {
  CREATE_MESSAGE,
  DELETE_MESSAGE,
  LIST_MESSAGES,
} from '../../../app/pages/test-message/test-message.graphql.generated.ts';
import type { RawRequest } from '../http/raw-request.ts';
import * as hostile from './fuzz-values.ts';
import type { SeededRandom } from './seeded-random.ts';

type Built = { method: string; path: string; headers: Record<string, string>; body: string };

const MEGABYTE = 1024 * 1024;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };

/** One request; `sessions` are cookie headers of people who are signed in. */
export function nearlyValidRequest(chance: SeededRandom, sessions: readonly string[]): RawRequest {
  const value = chance.pick(hostile.values);
  const right = validRequest(chance, value);
  // A page that is read without a cookie comes from memory: most do, so that there is time for the rest.
  const isAnonymous = right.body === '' ? !chance.oneIn(3) : chance.oneIn(4);
  const cookie: Record<string, string> = isAnonymous ? {} : { cookie: chance.pick(sessions) };
  const headers = { 'sec-fetch-site': 'same-origin', ...cookie, ...right.headers };
  const { body, ...spoilt } = corruptRequest(chance, { ...right, headers });
  if (body === '') return spoilt;
  const framing: Record<string, string> =
    spoilt.method === 'POST' && chance.oneIn(8)
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(Buffer.byteLength(body)) };
  return { ...spoilt, headers: { ...framing, ...spoilt.headers }, body };
}

function validRequest(chance: SeededRandom, value: string): Built {
  const get = (path: string, headers: Record<string, string> = {}): Built => ({
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const post = (path: string, fields: Record<string, string>): Built => ({
    method: 'POST',
    path,
    headers: form,
    body: new URLSearchParams(fields).toString(),
  });
  const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const page = chance.pick(hostile.pagePaths);
  const messages = page.includes('test-message') ? page : '/test-message';
  return chance.pick([
    () => get(page),
    () => get(`${page === '/' ? '/_index' : page}.data`),
    () => get(`/test-message?${query({ after: value })}`),
    () => get(`/typography-demo?${query({ size: value, family: value })}`),
    () => get(`/auth/sign-in?${query({ returnTo: value })}`),
    () => get(`/auth/callback?${query({ code: value, state: value })}`),
    () => get(`/auth/callback?${query({ error: value, state: value, error_description: value })}`),
    () => get('/api/identity'),
    () => get(`/api/icons/lucide.json?${query({ icons: value })}`),
    () => get('/favicon.ico', { [chance.pick(['if-none-match', 'if-match', 'range'])]: value }),
    () => get('/locales/fr/common.json', { range: chance.pick(['bytes=0-9', 'bytes=9999999-', value]) }),
    () => get(page, { 'if-none-match': chance.pick(['*', value]) }),
    () => post('/preferences', { theme: chance.pick(['dark', value]), returnTo: value }),
    () => post('/preferences', { locale: chance.pick(['fr', value]), returnTo: value }),
    () => post(messages, { intent: 'post', content: value, key: value }),
    () => post(messages, { intent: chance.pick(['delete', value]), id: value }),
    () => operation('ListMessages', LIST_MESSAGES.query, { limit: chance.pick<unknown>([20, value, -1]) }),
    () => operation('CreateMessage', CREATE_MESSAGE.query, { content: value }),
    () => operation(chance.pick(['DeleteMessage', value]), DELETE_MESSAGE.query, { id: value }),
    // Whoever has sent it is signed out from then on.
    () => (chance.oneIn(10) ? post('/auth/sign-out', { returnTo: value }) : get('/readyz')),
  ])();
}

function operation(operationName: string, query: string, variables: Record<string, unknown>): Built {
  const body = JSON.stringify({ query, operationName, variables });
  return { method: 'POST', path: '/api/graphql', headers: json, body };
}

function corruptRequest(chance: SeededRandom, request: Built): Built {
  const { method, path, headers, body } = request;
  const withHeaders = (more: Record<string, string>) => ({ ...request, headers: { ...headers, ...more } });
  if (!chance.oneIn(3)) return request;
  return chance.pick<() => Built>([
    () => ({ ...request, method: chance.pick(hostile.methods) }),
    () => ({ ...request, path: path.replace('/', `/${'a'.repeat(chance.below(2000))}`) }),
    () => ({ ...request, path: `${path}${path.includes('?') ? '&' : '?'}_data=root` }),
    () => ({ ...request, body: body.slice(0, chance.below(body.length + 1)) }),
    () =>
      method === 'POST' && chance.oneIn(2) ? { ...request, body: oversizedBody(chance, body) } : request,
    () => withHeaders({ 'content-type': chance.pick(hostile.contentTypes) }),
    () => withHeaders({ 'content-encoding': chance.pick(['gzip', 'br', 'x']) }),
    () => withHeaders({ 'sec-fetch-site': chance.pick(['cross-site', 'same-site', 'none', 'x']) }),
    () => withHeaders({ origin: chance.pick(['https://evil.example', 'null', '', 'x']) }),
    () => withHeaders({ host: chance.pick(hostile.hosts) }),
    () => withHeaders({ cookie: `a=${'a'.repeat(20_000 + chance.below(20_000))}` }),
    () => withHeaders({ [chance.pick(hostile.headerNames)]: chance.pick(hostile.headerValues) }),
  ])();
}

/** More than a body may have, by a little or by much. */
function oversizedBody(chance: SeededRandom, body: string): string {
  return body + 'x'.repeat(MEGABYTE - body.length + 1 + chance.below(chance.pick([10, MEGABYTE])));
}

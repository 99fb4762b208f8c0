import { beforeAll, describe, expect, it } from 'vitest';
import { acceptsConnections } from '../../support/http/raw-socket.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { freePort } from '../../support/processes/site.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { another, examplePage, examplePath, other } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const port = await freePort();
// The scale allows two requests to /preferences.
const stack = setUpStack({ environment: { METRICS_PORT: String(port), RATE_LIMIT_SCALE: '0.04' } });
let visitor: SiteVisitor;
let ben: SiteVisitor;

beforeAll(() => {
  visitor = stack.visit();
});

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

const page = examplePath(other);
/** The same page, with its first letter percent-encoded. */
const spelledPage = page.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

const requestsOf = (route: string, method: string, status: string) =>
  metric(`tenfold_request_seconds_count{route="${route}",method="${method}",status="${status}"}`);

describe('the metrics', () => {
  it('are served at 127.0.0.1 only, unless METRICS_HOST says otherwise', async () => {
    expect(await acceptsConnections(port, '127.0.0.1')).toBe(true);
    // Another address of this machine, at which a server on all addresses would listen.
    expect(await acceptsConnections(port, '127.0.0.2')).toBe(false);
  });

  it('count requests by route, method and status class, for any spelling of the path', async () => {
    for (const path of [page, page, spelledPage, '/no/such/page']) {
      await visitor.request(path);
    }
    expect(await requestsOf(`${examplePage.name}___${other.code}`, 'GET', '2xx')).toBe(3);
    expect(await requestsOf('not-found', 'GET', '4xx')).toBe(1);
    expect(await metric('tenfold_session_opens_total{state="anonymous"}')).toBeGreaterThanOrEqual(2);
  });

  it('count session opens and refreshes by outcome', async () => {
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const ada = await stack.signUp('ada');
    stack.cloud.faults.set({});
    const { body } = await ada.request(examplePath(another));
    expect(body).toContain('ada@example.com');
    expect(await metric('tenfold_session_opens_total{state="signed-in"}')).toBe(1);
    expect(await metric('tenfold_refreshes_total{outcome="refreshed"}')).toBe(1);
  });

  it('count rate-limited requests by limit and by error code', async () => {
    const form = formSubmission({ theme: 'dark' });
    const responses = [];
    for (let request = 0; request < 4; request++) responses.push(await visitor.request('/preferences', form));
    // A percent-encoded path is the same route.
    responses.push(await visitor.request('/%70references', form));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 429, 429, 429]);
    expect(Number(responses[4]?.headers['retry-after'])).toBeGreaterThan(20);
    expect(await metric('tenfold_rate_limited_total{limit="preferences"}')).toBe(3);
    expect(await metric('tenfold_rejections_total{code="TooManyRequests"}')).toBe(3);
  });

  // threat-model: T-044
  it('count rejections of the proxy by its own error codes, not by those of an upstream', async () => {
    ben = await stack.signUp('ben');
    const post = (body: string) =>
      ben.request('/api/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await post('{"query":"{__schema{types{name}}}"}');
    await post('{"query":"{ mine }"}');
    await post('[]');
    await ben.request('/api/graphql');
    const fault = { service: 'cognito-identity', kind: 'error', error: 'MadeUpException' };
    stack.cloud.faults.set({ faults: [fault] });
    const failed = await post(JSON.stringify({ query: shippedQuery.query }));
    expect(JSON.parse(failed.body)).toMatchObject({ errors: [{ errorType: 'MadeUpException' }] });
    stack.cloud.faults.set({});
    const codes = ['UntrustedDocument', 'BatchingNotSupported', 'MethodNotAllowed', 'MadeUpException'];
    const counts = codes.map((code) => metric(`tenfold_rejections_total{code="${code}"}`));
    expect(await Promise.all(counts)).toEqual([2, 1, 1, Number.NaN]);
  });

  it('are separate from the response: a rate-limited operation has the error format of GraphQL', async () => {
    const body = JSON.stringify({ query: shippedQuery.query });
    const operation = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const send = () => ben.copy().request('/api/graphql', operation);
    const responses = await Promise.all(Array.from({ length: 60 }, send));
    const rejected = responses.find(({ status }) => status === 429);
    expect(JSON.parse(rejected?.body ?? '')).toEqual({
      data: null,
      errors: [{ message: expect.any(String), errorType: 'TooManyRequests' }],
      extensions: { requestId: rejected?.headers['x-request-id'] },
    });
    expect(rejected?.headers['cache-control']).toContain('no-store');
  });

  it('are not served by the site itself and contain no data of visitors', async () => {
    expect((await visitor.request('/metrics')).status).toBe(404);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).not.toMatch(/ada@|example\.com|no\/such/);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });
});

describe('the log of a request', () => {
  // threat-model: T-066
  it('has no error level when the client caused the failure', async () => {
    const { length } = stack.site.output();
    for (const path of [page, `${page}.data`, '/robots.txt', '/nowhere', '/nowhere.data']) {
      expect((await visitor.request(path, formSubmission({ a: 'b' }))).status, path).toBe(405);
    }
    expect((await visitor.request('/nowhere')).status).toBe(404);
    expect(stack.site.output().slice(length)).not.toMatch(/"level":"(?:error|fatal)"/);
  });

  it('contains the route and, for signed-in visitors, the hash of the session', () => {
    const lines = stack.site
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line));
    expect(lines.find(({ path }) => path === spelledPage)).toEqual({
      level: 'info',
      time: expect.any(String),
      requestId: expect.any(String),
      route: `${examplePage.name}___${other.code}`,
      method: 'GET',
      path: spelledPage,
      status: 200,
      ms: expect.any(Number),
      msg: 'request',
    });
    const signedIn = lines.filter(({ session, path }) => session && path === examplePath(another));
    expect(signedIn).toEqual([
      expect.objectContaining({ session: expect.stringMatching(/^[\w-]{12}$/), status: 200 }),
    ]);
  });
});

/** Reports of Content-Security-Policy violations, as browsers and attackers send them. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { freePort } from '../../support/processes/site.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { forThisSite } from '../../support/this-site.ts';

const PATH = '/csp-reports';
const DEPRECATED = 'application/csp-report';
const REPORTS = 'application/reports+json';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let stack: Stack;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await freePort();
  // The limit of 600 reports becomes 60,000: one test sends 10,000.
  stack = await startStack({
    topology: 'one machine',
    environment: { METRICS_PORT: String(metricsPort), RATE_LIMIT_SCALE: '100' },
  });
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

const sameOrigin = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'report' };

function post(
  body: string | Buffer,
  type = DEPRECATED,
  headers: Record<string, string> = sameOrigin,
): Promise<RawResponse> {
  const length = String(Buffer.byteLength(body));
  const request = { path: PATH, method: 'POST', body };
  return sendRaw(
    stack.site.origin,
    { ...request, headers: { 'content-type': type, 'content-length': length, ...headers } },
    agent,
  );
}

const report = (page: string, changes: object = {}) => ({
  'document-uri': stack.site.origin + page,
  'effective-directive': 'script-src-elem',
  'blocked-uri': 'https://evil.example/run.js?marked-query',
  'source-file': `${stack.site.origin}${page}`,
  'script-sample': 'marked-sample',
  referrer: 'https://marked-referrer.example/',
  ...changes,
});
const deprecated = (page: string, changes: object = {}) =>
  JSON.stringify({ 'csp-report': report(page, changes) });

async function counted(directive: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = `tenfold_policy_violations_total{directive="${directive}"} `;
  return Number(
    text
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.slice(line.length) ?? 0,
  );
}

const logged = (text: string) =>
  stack.site
    .output()
    .split('\n')
    .filter((line) => line.includes(text));

describe('a report', () => {
  it('gets 204, is counted by its directive, and is logged', async () => {
    const { status, headers, body } = await post(deprecated('/ar?marked-query'));
    expect([status, body, headers['set-cookie']]).toEqual([204, '', undefined]);
    expect(await counted('script-src-elem')).toBe(1);
    await expect.poll(() => logged('content security policy violated')).toHaveLength(1);
    expect(JSON.parse(logged('content security policy violated')[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.any(String),
      directive: 'script-src-elem',
      blocked: 'https://evil.example',
      page: '/ar',
      msg: 'content security policy violated',
    });
  });

  // threat-model: T-073
  it('of a signed-in visitor leaves nothing about the visitor in the log and opens no session', async () => {
    const ada = await signUpVisitor(stack, agent, 'ada@example.com');
    const { status, headers } = await ada.request(PATH, {
      method: 'POST',
      headers: {
        ...sameOrigin,
        'content-type': DEPRECATED,
        'user-agent': 'marked-agent',
        referer: 'https://marked-referrer.example/',
        'x-forwarded-for': '203.0.113.77',
      },
      body: deprecated('/test-message?marked-query'),
    });
    expect([status, headers['set-cookie']]).toEqual([204, undefined]);
    await expect.poll(() => logged('"page":"/test-message"')).toHaveLength(1);
    expect(Object.keys(JSON.parse(logged('"page":"/test-message"')[0] ?? ''))).toEqual([
      ...['level', 'time', 'directive', 'blocked', 'page', 'msg'],
    ]);
    expect(stack.site.output()).not.toMatch(/marked|203\.0\.113|ada@|"path":"\/csp-reports"/);
  });
});

describe('what is no report', () => {
  it.each([
    ['no JSON', '{', DEPRECATED, 400],
    ['deeply nested JSON', '['.repeat(10_000), REPORTS, 400],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 415],
    ['no content type', '{}', '', 415],
    ['a body of 33 kB', ' '.repeat(33 * 1024), DEPRECATED, 413],
  ])('%s is rejected', async (_what, body, type, expected) => {
    const { status, headers } = await post(body, type);
    expect([status, headers['cache-control']]).toEqual([expected, 'private, no-store']);
  });

  // threat-model: T-073
  it('a report of another site is rejected', async () => {
    const before = await counted('script-src-elem');
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' },
      { origin: 'null' },
      {},
    ]) {
      expect((await post(deprecated('/'), DEPRECATED, headers)).status).toBe(403);
    }
    expect(await counted('script-src-elem')).toBe(before);
  });
});

// threat-model: T-074
it('a flood of reports is counted completely, and its log is bounded', async () => {
  const before = await counted('other');
  const statuses = new Set<number>();
  const sendSome = async (start: number) => {
    for (let index = start; index < 10_000; index += 16) {
      const changes = {
        'effective-directive': `made-up-${index}`,
        'blocked-uri': `https://${index}.example/`,
      };
      statuses.add((await post(deprecated(`/page/${index}`, changes))).status);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, start) => sendSome(start)));
  expect([...statuses]).toEqual([204]);
  expect((await counted('other')) - before).toBe(10_000);
  await expect.poll(() => logged('further policy violations').length).toBe(1);
  // Lines of earlier tests may be written late, but in order: what follows the first line of the flood belongs to it.
  const lines = stack.site.output().trim().split('\n');
  const first = lines.findIndex((line) => line.includes('"page":"/page/'));
  expect(first).toBeGreaterThan(0);
  expect(lines.length - first).toBeLessThanOrEqual(101);
}, 120_000);

// threat-model: T-079
it('reports beyond the rate limit of an address get 429, and those of other addresses do not', async () => {
  // At this scale the limit is one report, and the next one may follow after 2,000 seconds.
  const limited = await startStack({
    topology: 'one machine',
    environment: { RATE_LIMIT_SCALE: '0.0001', TRUSTED_PROXIES: '1' },
  });
  const send = (address: string) =>
    sendRaw(limited.site.origin, {
      path: PATH,
      method: 'POST',
      headers: { 'content-type': DEPRECATED, 'x-forwarded-for': `192.0.2.1, ${address}`, ...sameOrigin },
      body: JSON.stringify({
        'csp-report': { 'document-uri': limited.site.origin, 'effective-directive': address },
      }),
    });
  const responses = [await send('203.0.113.1'), await send('203.0.113.1'), await send('203.0.113.2')];
  expect(responses.map(({ status }) => status)).toEqual([204, 429, 204]);
  expect(responses[1]?.headers).toMatchObject({
    'cache-control': 'private, no-store',
    'retry-after': '2000',
  });
  // What is logged while the site stops shows that the rejected report left no line.
  await limited.stop();
  expect(limited.site.output()).toContain('content security policy violated');
  expect(limited.site.output()).not.toContain('csp-reports');
});

describe('the policy of a page', () => {
  it.each(forThisSite(['/fr', '/nowhere']))('names the address for reports: %s', async (path) => {
    const { headers } = await sendRaw(stack.site.origin, { path });
    expect(headers['content-security-policy']).toMatch(/; report-uri \/csp-reports$/);
    expect(headers['reporting-endpoints']).toBeUndefined();
  });
});

/** Reports of Content-Security-Policy violations, as browsers and attackers send them. */
import { Agent } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { freePort } from '../../support/processes/site.ts';
import { startStack } from '../../support/processes/stack.ts';
import { forThisSite } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const PATH = '/csp-reports';
const DEPRECATED = 'application/csp-report';

const metricsPort = await freePort();
// The limit of 600 reports becomes 60,000: one test sends 10,000.
const stack = setUpStack({
  topology: 'one machine',
  environment: { METRICS_PORT: String(metricsPort), RATE_LIMIT_SCALE: '100' },
});

const sameOrigin = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'report' };

function post(
  body: string,
  { type = DEPRECATED, headers = sameOrigin as Record<string, string>, agent = stack.agent } = {},
): Promise<RawResponse> {
  const content = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
  const request = { path: PATH, method: 'POST', headers: { ...content, ...headers }, body };
  return sendRaw(stack.site.origin, request, agent);
}

const report = (page: string, changes: object = {}) =>
  JSON.stringify({
    'csp-report': {
      'document-uri': stack.site.origin + page,
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://evil.example/run.js?marked-query',
      'source-file': `${stack.site.origin}${page}`,
      'script-sample': 'marked-sample',
      referrer: 'https://marked-referrer.example/',
      ...changes,
    },
  });

async function counted(directive: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = new RegExp(`^tenfold_policy_violations_total\\{directive="${directive}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

const logged = (text: string) =>
  stack.site
    .output()
    .split('\n')
    .filter((line) => line.includes(text));

// threat-model: T-073
it('a report of a signed-in visitor gets 204, is counted and logged, and leaves nothing about the visitor', async () => {
  const ada = await stack.signUp('ada');
  const { status, headers } = await ada.request(PATH, {
    method: 'POST',
    headers: {
      ...sameOrigin,
      'content-type': DEPRECATED,
      'user-agent': 'marked-agent',
      referer: 'https://marked-referrer.example/',
      'x-forwarded-for': '203.0.113.77',
    },
    body: report('/test-message?marked-query'),
  });
  expect([status, headers['set-cookie']]).toEqual([204, undefined]);
  expect(await counted('script-src-elem')).toBe(1);
  await expect.poll(() => logged('content security policy violated')).toHaveLength(1);
  expect(JSON.parse(logged('content security policy violated')[0] ?? '')).toEqual({
    level: 'warn',
    time: expect.any(String),
    directive: 'script-src-elem',
    blocked: 'https://evil.example',
    page: '/test-message',
    msg: 'content security policy violated',
  });
  expect(stack.site.output()).not.toMatch(/marked|203\.0\.113|ada@|"path":"\/csp-reports"/);
});

it.each([
  ['no JSON', '{', DEPRECATED, 400],
  ['a form', 'a=b', 'application/x-www-form-urlencoded', 415],
  ['a report of the other format', '{"csp-report":{}}', 'application/reports+json', 400],
  ['a body of 33 kB', ' '.repeat(33 * 1024), DEPRECATED, 413],
])('what is no report is rejected: %s', async (_what, body, type, expected) => {
  const { status, headers } = await post(body, { type });
  expect([status, headers['cache-control']]).toEqual([expected, 'private, no-store']);
});

it('a report may name its content type in another way', async () => {
  const { status } = await post(report('/'), { type: 'Application/CSP-Report ; charset=utf-8' });
  expect(status).toBe(204);
  expect((await stack.get(PATH)).status).toBe(405);
});

// threat-model: T-073
it('a report of another site is rejected', async () => {
  const before = await counted('script-src-elem');
  for (const headers of [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, {}]) {
    expect((await post(report('/'), { headers })).status).toBe(403);
  }
  expect(await counted('script-src-elem')).toBe(before);
});

/** Many times as many as lines are logged. */
const REPORTS = 3000;

// threat-model: T-074
it('a flood of reports is counted completely, and its log is bounded', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  onTestFinished(() => agent.destroy());
  const before = await counted('other');
  const statuses = new Set<number>();
  const sendSome = async (start: number) => {
    for (let index = start; index < REPORTS; index += 16) {
      const changes = {
        'effective-directive': `made-up-${index}`,
        'blocked-uri': `https://${index}.example/`,
      };
      statuses.add((await post(report(`/page/${index}`, changes), { agent })).status);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, start) => sendSome(start)));
  expect([...statuses]).toEqual([204]);
  expect((await counted('other')) - before).toBe(REPORTS);
  await expect.poll(() => logged('further policy violations').length).toBe(1);
  // Lines of earlier tests may be written late, but in order: what follows the first line of the flood belongs to it.
  const lines = stack.site.output().trim().split('\n');
  const first = lines.findIndex((line) => line.includes('"page":"/page/'));
  expect(first).toBeGreaterThan(0);
  expect(lines.length - first).toBeLessThanOrEqual(101);
});

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
      body: report('/', { 'document-uri': limited.site.origin, 'effective-directive': address }),
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

it.each(forThisSite(['/fr', '/nowhere']))('the policy of %s names the address for reports', async (path) => {
  const { headers } = await stack.get(path);
  expect(headers['content-security-policy']).toMatch(/; report-uri \/csp-reports$/);
  expect(headers['reporting-endpoints']).toBeUndefined();
});

/**
 * Requests that would be expensive without limits of their own, and now cost little: less than the bound that
 * fuzzed-requests.test.ts has for all. Their CPU time is compared with that of a rendered page, so that the speed of the
 * machine does not matter.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_PATH_LENGTH } from '../../../packages/site-server/src/request-filter.ts';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { freePort } from '../../support/processes/site.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const metricsPort = await freePort();
const stack = setUpStack({ environment: { METRICS_PORT: String(metricsPort) } });
stack.agent.maxSockets = 8;
let ada: SiteVisitor;

beforeAll(async () => {
  ada = await stack.signUp('ada');
});

/** Returns the CPU seconds that the site has used, which other processes do not affect. */
async function cpuSeconds(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

/** Returns the CPU time per request in milliseconds, and the statuses of the responses. */
async function measure(requests: readonly RawRequest[]): Promise<{ ms: number; statuses: Set<number> }> {
  const before = await cpuSeconds();
  const responses = await Promise.all(
    requests.map((request) => sendRaw(stack.site.origin, request, stack.agent)),
  );
  const ms = ((await cpuSeconds()) - before) * 1000;
  return { ms: ms / requests.length, statuses: new Set(responses.map(({ status }) => status)) };
}

type Cost = { pages: number; statuses: Set<number> };

/** Returns the CPU time per request as a multiple of that of a rendered page. */
async function measureCost(requests: readonly RawRequest[]): Promise<Cost> {
  const { ms, statuses } = await measure(requests);
  const page = await measure(times(10, { path: examplePath(), headers: { cookie: ada.cookies.header() } }));
  return { pages: ms / page.ms, statuses };
}

/** Measures again, at most twice, while the cost is not below `limit`: a busy machine only ever adds to it. */
async function costOf(requests: readonly RawRequest[], limit: number): Promise<Cost> {
  let cost = await measureCost(requests);
  for (let retry = 0; retry < 2 && cost.pages >= limit; retry++) cost = await measureCost(requests);
  return cost;
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('an Accept-Language', () => {
  // Without a limit the most expensive header costs two rendered pages each time it is parsed.
  const LIMIT_OF_CACHED_PAGE = 0.5;
  const LIMIT_OF_RENDERED_PAGE = 2;
  const expensive: readonly [string, string][] = [
    ['of fifteen thousand stars', times(15_000, '*').join(',')],
    ['of spaces before a comma', `fr${' '.repeat(30_000)},`],
    ['just below the length limit, and nearly matching', `${'x'.repeat(8)}-`.repeat(56)],
  ];

  const firstVisit = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  // The first requests of a process find an empty page cache and code that is not compiled yet.
  beforeAll(() => measure(times(50, { path: '/', headers: { ...firstVisit, 'accept-language': 'en' } })));

  // threat-model: T-057
  it.each(expensive)('%s makes no page expensive, whether it is cached or rendered', async (_what, value) => {
    const headers = { ...firstVisit, 'accept-language': value };
    const cookie = ada.cookies.header();
    // The session cookie takes half of the space in the request head.
    const short = { ...headers, 'accept-language': value.slice(0, 15_000), cookie };
    for (const [sent, limit] of [
      [headers, LIMIT_OF_CACHED_PAGE],
      [short, LIMIT_OF_RENDERED_PAGE],
    ] as const) {
      const { pages, statuses } = await costOf(times(20, { path: '/', headers: sent }), limit);
      // Some of these headers ask for French and cause a redirect.
      expect(statuses.size).toBe(1);
      expect([200, 302]).toContain([...statuses][0]);
      expect(pages).toBeLessThan(limit);
    }
  });
});

describe('a discovery of routes', () => {
  let version = '';
  beforeAll(async () => {
    version = JSON.parse((await stack.get('/builds/latest.json')).body).id;
  });

  // threat-model: T-055
  it('of the maximum size costs less than three pages', async () => {
    const deep = `/__manifest?version=${version}${times(28, '&p=/a/b/c/d/e/f/g/h').join('')}`;
    const wide = `/__manifest?version=${version}${times(80, '&p=/a/b').join('')}`;
    const all = `/__manifest?version=${version}${times(120, '&p=/fr').join('')}`;
    for (const path of [deep, wide, all]) {
      const { pages, statuses } = await costOf(times(20, { path }), 3);
      expect([...statuses], path).toEqual([200]);
      expect(pages, path).toBeLessThan(3);
    }
  });

  // threat-model: T-055
  it('beyond the maximum size is rejected, which costs less than half a page', async () => {
    for (const flood of ['&p=/a'.repeat(1500), `&p=${'/a'.repeat(500)}`]) {
      const { pages, statuses } = await costOf(
        times(50, { path: `/__manifest?version=${version}${flood}` }),
        0.5,
      );
      expect([...statuses]).toEqual([400]);
      expect(pages).toBeLessThan(0.5);
    }
  });
});

describe('a path', () => {
  // threat-model: T-055
  it.each(['', '.data', '/_payload.json'])(
    'of the maximum length costs less than three pages: “%s”',
    async (ending) => {
      const parts = '/a'.repeat((MAX_PATH_LENGTH - ending.length) / 2);
      const { pages, statuses } = await costOf(times(10, { path: parts + ending }), 3);
      expect([...statuses]).toEqual([404]);
      expect(pages).toBeLessThan(3);
    },
  );

  // threat-model: T-055
  it('beyond the maximum length is rejected, which costs less than half a page', async () => {
    const { pages, statuses } = await costOf(times(20, { path: '/a'.repeat(10_000) }), 0.5);
    expect([...statuses]).toEqual([414]);
    expect(pages).toBeLessThan(0.5);
  });
});

it('other visitors are still served', async () => {
  expect(await ada.isSignedIn()).toBe(true);
});

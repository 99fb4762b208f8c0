/**
 * Random invalid requests to every route with every method. FUZZ_REQUESTS sets their number and FUZZ_SEED selects other
 * ones. The error of a failed request contains the seed, its index and the request.
 */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fuzzedRequest } from '../../support/fuzzing/fuzzed-requests.ts';
import { findViolation } from '../../support/fuzzing/response-rules.ts';
import { createSeededRandom } from '../../support/fuzzing/seeded-random.ts';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { shippedQuery } from '../../support/local-cloud/shipped-operations.ts';
import {
  type HeapInspector,
  INSPECTOR_ENVIRONMENT,
  openHeapInspector,
} from '../../support/processes/heap-inspector.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { defaultTopology } from '../../support/processes/topology.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { timesAsLong } from '../../support/timing/relative-time.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const WINDOWS = 5;
const LANES = 16;
/** How many times as long as a page that does not exist a response may take. */
const SLOW = 50;
/** How much the memory in use may grow after the first window, in bytes: 640 per request. */
const MAX_GROWTH = 10 * 1024 * 1024;

/** Every status that a request can lead to, except 408, which tests/routes/process/connections.test.ts covers. */
const STATUSES = [
  ...[200, 202, 204, 206, 301, 302, 303, 304],
  ...[400, 401, 403, 404, 405, 412, 413, 414, 415, 416, 421, 422, 429, 431],
];

let stack: Stack;
let heap: HeapInspector;
let observer: SiteVisitor;
const agent = new Agent({ keepAlive: true, maxSockets: LANES + 1 });

beforeAll(async () => {
  stack = await startStack({
    environment: {
      ...INSPECTOR_ENVIRONMENT,
      ICON_API_HOSTS: 'none',
      // Each request names its client address. One of the addresses exceeds the rate limit.
      TRUSTED_PROXIES: defaultTopology === 'one machine' ? '1' : '2',
      // Machines without a shared store count separately.
      RATE_LIMIT_SCALE: defaultTopology === 'four machines' ? '0.005' : '0.02',
      LOG_LEVEL: REQUESTS > 100_000 ? 'warn' : 'info',
    },
  });
  heap = await openHeapInspector(stack.machines);
  observer = await signUp('observer');
}, 60_000);
afterAll(async () => {
  heap.close();
  agent.destroy();
  await stack.stop();
});

async function signUp(name: string): Promise<SiteVisitor> {
  const visitor = createSiteVisitor(stack.site.origin, agent);
  await visitor.signUp(stack.cloud, { email: `${name}@example.com`, password: PASSWORD });
  return visitor;
}

/** Signs up the visitors whose cookies the requests use, anew in each window, because some requests sign them out. */
async function signUpVictims(window: number): Promise<string[]> {
  const names = ['ada', 'ben', 'cem', 'dua'].map((name) => `${name}-${window}`);
  const victims = await Promise.all(names.map(signUp));
  return victims.map(({ cookies }) => [...cookies.cookies].map((pair) => pair.join('=')).join('; '));
}

/** The requests that took longest, longest first. */
let slowest: { request: RawRequest; ms: number }[] = [];

function noteTime(request: RawRequest, ms: number): void {
  if (slowest.length === 20 && ms <= (slowest.at(-1)?.ms ?? 0)) return;
  slowest = [...slowest, { request, ms }].sort((a, b) => b.ms - a.ms).slice(0, 20);
}

async function send(index: number, sessions: readonly string[]): Promise<number> {
  const request = fuzzedRequest(createSeededRandom(SEED, index), sessions);
  const response = await unlessTimedOut(() => sendRaw(stack.site.origin, request, agent)).catch(String);
  const violation = typeof response === 'string' ? response : findViolation(request, response, stack);
  if (violation !== null || typeof response === 'string') {
    const sent = JSON.stringify(request, (_name, value) =>
      typeof value === 'string' ? value.slice(0, 300) : value,
    );
    const logLines = typeof response === 'string' ? '' : linesOf(response.headers['x-request-id']);
    throw new Error(`FUZZ_SEED=${SEED}, request ${index}: ${violation}\n${sent}\n${logLines}`);
  }
  noteTime(request, response.ms);
  return response.status;
}

/** Repeats a request, at most twice, when the data API has exceeded its deadline, as it does on a busy machine. */
async function unlessTimedOut<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  for (let repeat = 0; repeat < 2; repeat++) {
    const response = await send();
    if (response.status !== 504) return response;
  }
  return send();
}

/** Returns the log lines of one request. */
function linesOf(requestId: unknown): string {
  const lines = stack.site.output().split('\n');
  return lines.filter((line) => line.includes(`"${requestId}"`)).join('\n');
}

/** Sends the requests `from` to `to` (exclusive), and checks valid requests after every 200 of them. */
async function sendMany(from: number, to: number, statuses: Map<number, number>): Promise<void> {
  const sessions = await signUpVictims(from);
  let next = from;
  const lane = async () => {
    for (let index = next++; index < to; index = next++) {
      const status = await send(index, sessions);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (index % 200 === 0) await checkValidRequests();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Sends valid requests, which must not be affected. */
async function checkValidRequests(): Promise<void> {
  const [home, page, list] = await Promise.all([
    createSiteVisitor(stack.site.origin, agent).request('/fr'),
    unlessTimedOut(() => observer.request('/ar/test-message')),
    unlessTimedOut(() =>
      observer.request('/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
      }),
    ),
  ]);
  expect([home.status, page.status, list.status]).toEqual([200, 200, 200]);
  expect(home.body).toContain('lang="fr-FR"');
  expect(home.body).not.toContain('@example.com');
  expect(page.body.match(/\w+(-\d+)?@example\.com/g)).toContain('observer@example.com');
  expect(page.body).not.toMatch(/-\d+@example\.com/);
  expect(JSON.parse(list.body)).not.toHaveProperty('errors');
}

// threat-model: T-064
it(
  `handles ${REQUESTS} invalid requests without effect on other visitors`,
  async () => {
    const statuses = new Map<number, number>();
    let bytesAtFirst = 0;
    for (let window = 0; window < WINDOWS; window++) {
      const [from = 0, to = 0] = [window, window + 1].map((part) => Math.floor((part * REQUESTS) / WINDOWS));
      await sendMany(from, to, statuses);
      // Remix keeps documents in memory for one second.
      bytesAtFirst ||= await heap.bytesInUse();
      await expect.poll(() => heap.bytesInUse(), { interval: 250 }).toBeLessThan(bytesAtFirst + MAX_GROWTH);
    }

    if (REQUESTS >= 20_000) expect(rareStatuses(statuses), 'statuses that are too rare').toEqual([]);
    expect([...statuses.keys()].filter((status) => !STATUSES.includes(status))).toEqual([]);
    expect(stack.site.isRunning()).toBe(true);
    const errors = stack.site.output().match(/^\{"level":(?:[56]0|"error"|"fatal").*$/gm) ?? [];
    expect(errors.slice(0, 3), `${errors.length} errors in the log`).toEqual([]);
    expect(findSecret(stack.site.output())).toBeNull();
    // A request that was slow under load must not be slow on its own.
    for (const { request } of slowest) {
      const ratio = await timesAsLong(
        () => sendRaw(stack.site.origin, request, agent),
        () => sendRaw(stack.site.origin, { path: '/nowhere' }, agent),
      );
      expect(ratio, JSON.stringify(request)).toBeLessThan(SLOW);
    }
  },
  Math.max(600_000, REQUESTS * 30),
);

/** Returns the statuses with fewer than five responses. */
function rareStatuses(statuses: ReadonlyMap<number, number>): string[] {
  const counts = STATUSES.map((status) => [status, statuses.get(status) ?? 0] as const);
  return counts.filter(([, count]) => count < 5).map(([status, count]) => `${status}: ${count}`);
}

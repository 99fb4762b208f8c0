/**
 * Random requests to every route with every method: invalid ones, and ones as large as the limits allow. FUZZ_REQUESTS
 * and FUZZ_LARGE_REQUESTS set their numbers, which `npm run test:all` raises, and FUZZ_SEED selects other ones. The error of
 * a failed request contains the seed, its index and the request.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchCostlyRequests } from '../../support/fuzzing/cost-search.ts';
import { createFindings, excerptOf, type Findings } from '../../support/fuzzing/findings.ts';
import { fuzzedRequest } from '../../support/fuzzing/fuzzed-requests.ts';
import { findLongLog } from '../../support/fuzzing/log-rules.ts';
import { findViolations } from '../../support/fuzzing/response-rules.ts';
import { createSeededRandom } from '../../support/fuzzing/seeded-random.ts';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import {
  type HeapInspector,
  INSPECTOR_ENVIRONMENT,
  openHeapInspector,
} from '../../support/processes/heap-inspector.ts';
import { openDescriptors, SMALL_HEAP } from '../../support/processes/process-usage.ts';
import { freePort } from '../../support/processes/site.ts';
import { defaultTopology } from '../../support/processes/topology.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { another, formPath, hasPage, other, otherHome } from '../../support/this-site.ts';
import { timesAsLong } from '../../support/timing/relative-time.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1000);
const LARGE_REQUESTS = Number(process.env.FUZZ_LARGE_REQUESTS ?? 60);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const WINDOWS = 5;
const LANES = 16;
/** How many times as long as a page that does not exist a response may take. */
const SLOW = 50;
/** How much the memory in use may grow after the first window, in bytes: 1 kB per request. */
const MAX_GROWTH = 10 * 1024 * 1024;

/** Upstreams, and files that are being sent. */
const MAX_MORE_DESCRIPTORS = 60;

/** Every status that a request can lead to, except 408, which tests/routes/process/connections.test.ts covers. */
const STATUSES = [
  ...[200, 202, 204, 206, 301, 302, 303, 304, 308],
  ...[400, 401, 403, 404, 405, 412, 413, 414, 415, 416, 421, 429, 431],
];
/** A form of a page that everyone may send leads to it. */
const INVALID_FORM = 422;

const stack = setUpStack({
  environment: {
    NODE_OPTIONS: `${INSPECTOR_ENVIRONMENT.NODE_OPTIONS} ${SMALL_HEAP}`,
    METRICS_PORT: String(await freePort()),
    ICON_API_HOSTS: 'none',
    // Each request names its client address. One of the addresses exceeds the rate limit.
    TRUSTED_PROXIES: defaultTopology === 'one machine' ? '1' : '2',
    // Machines without a shared store count separately.
    RATE_LIMIT_SCALE: defaultTopology === 'four machines' ? '0.125' : '0.5',
    LOG_LEVEL: REQUESTS > 100_000 ? 'warn' : 'info',
  },
});
const { agent } = stack;
agent.maxSockets = LANES + 1;
let heap: HeapInspector;
let observer: SiteVisitor;

beforeAll(async () => {
  heap = await openHeapInspector(stack.machines);
  observer = await stack.signUp('observer');
});
afterAll(() => heap.close());

function countDescriptors(): number {
  return stack.site.pids.reduce((sum, pid) => sum + openDescriptors(pid), 0);
}

/** Signs up the visitors whose cookies the requests use, anew in each window, because some requests sign them out. */
async function signUpVictims(window: number): Promise<string[]> {
  const names = ['ada', 'ben', 'cem', 'dua'].map((name) => `${name}-${window}`);
  const victims = await Promise.all(names.map(stack.signUp));
  return victims.map(({ cookies }) => [...cookies.cookies].map((pair) => pair.join('=')).join('; '));
}

/** The requests that took longest, longest first. */
let slowest: { request: RawRequest; ms: number }[] = [];

function noteTime(request: RawRequest, ms: number): void {
  if (slowest.length === 20 && ms <= (slowest.at(-1)?.ms ?? 0)) return;
  slowest = [...slowest, { request, ms }].sort((a, b) => b.ms - a.ms).slice(0, 20);
}

/** Sends one request and returns the status of its response; null if it got none. */
async function send(index: number, sessions: readonly string[], findings: Findings): Promise<number | null> {
  const request = fuzzedRequest(createSeededRandom(SEED, index), sessions);
  const name = `FUZZ_SEED=${SEED}, request ${index}: ${excerptOf(request)}`;
  try {
    const response = await unlessTimedOut(() => sendRaw(stack.site.origin, request, agent));
    for (const violation of findViolations(request, response, stack)) {
      findings.add(violation, `${name}\n${linesOf(response.headers['x-request-id'])}`);
    }
    noteTime(request, response.ms);
    return response.status;
  } catch (error) {
    findings.add(String(error), name);
    return null;
  }
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

type Range = { from: number; to: number };

/** Sends the requests `from` to `to` (exclusive), and checks valid requests after every 200 of them. */
async function sendMany(
  { from, to }: Range,
  statuses: Map<number, number>,
  findings: Findings,
): Promise<void> {
  const sessions = await signUpVictims(from);
  let next = from;
  const lane = async () => {
    for (let index = next++; index < to; index = next++) {
      const status = await send(index, sessions, findings);
      if (status !== null) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (index % 200 === 0) await checkValidRequests();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Sends valid requests, which must not be affected. */
async function checkValidRequests(): Promise<void> {
  const [home, page, list] = await Promise.all([
    stack.visit().request(otherHome),
    unlessTimedOut(() => observer.request(formPath(another))),
    unlessTimedOut(() =>
      observer.request('/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
      }),
    ),
  ]);
  expect([home.status, page.status, list.status]).toEqual([200, 200, 200]);
  expect(home.body).toContain(`lang="${other.iso}"`);
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
    const findings = createFindings();
    let bytesAtFirst = 0;
    const descriptors = countDescriptors();
    for (let window = 0; window < WINDOWS; window++) {
      const [from = 0, to = 0] = [window, window + 1].map((part) => Math.floor((part * REQUESTS) / WINDOWS));
      await sendMany({ from, to }, statuses, findings);
      // Remix keeps documents in memory for one second.
      bytesAtFirst ||= await heap.bytesInUse();
      await expect.poll(() => heap.bytesInUse(), { interval: 250 }).toBeLessThan(bytesAtFirst + MAX_GROWTH);
    }

    expect(findings.list(), findings.list().join('\n')).toEqual([]);
    if (REQUESTS >= 12_000) expect(rareStatuses(statuses), 'statuses that are too rare').toEqual([]);
    expect([...statuses.keys()].filter((status) => ![...STATUSES, INVALID_FORM].includes(status))).toEqual(
      [],
    );
    expect(stack.site.isRunning()).toBe(true);
    expect(findLongLog(stack.site.output(), REQUESTS)).toEqual([]);
    const mostDescriptors = descriptors + MAX_MORE_DESCRIPTORS * stack.machines.length;
    await expect.poll(countDescriptors).toBeLessThanOrEqual(mostDescriptors);
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

/** Returns the statuses with fewer than five responses, but not 429: on a slow machine no address exceeds its limit. */
function rareStatuses(statuses: ReadonlyMap<number, number>): string[] {
  const expected = hasPage('test-message') ? [...STATUSES, INVALID_FORM] : STATUSES;
  const counts = expected
    .filter((status) => status !== 429)
    .map((status) => [status, statuses.get(status) ?? 0] as const);
  return counts.filter(([, count]) => count < 5).map(([status, count]) => `${status}: ${count}`);
}

// threat-model: T-058, T-064
it(
  `handles ${LARGE_REQUESTS} large requests at a bounded cost`,
  async () => {
    const findings = await searchCostlyRequests({ seed: SEED, requests: LARGE_REQUESTS });
    expect(findings, findings.join('\n')).toEqual([]);
  },
  Math.max(600_000, LARGE_REQUESTS * 300),
);

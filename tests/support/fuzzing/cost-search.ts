/**
 * Sends large requests one after the other to a site with a small heap, and finds those that cost too much or get a wrong
 * response.
 */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawRequest, type RawResponse, sendRaw } from '../http/raw-request.ts';
import { type HeapInspector, INSPECTOR_ENVIRONMENT, openHeapInspector } from '../processes/heap-inspector.ts';
import { openDescriptors, SMALL_HEAP } from '../processes/process-usage.ts';
import { type Stack, startStack } from '../processes/stack.ts';
import { createSiteVisitor, signUpVisitor } from '../sign-in/site-visitor.ts';
import { examplePath } from '../this-site.ts';
import { type Cost, type CostMeter, createCostMeter, findExcess, lower } from './cost-rules.ts';
import { createFindings, excerptOf } from './findings.ts';
import { largeRequest, type Visitors } from './large-requests.ts';
import { findLongLog } from './log-rules.ts';
import { findViolations } from './response-rules.ts';
import { createSeededRandom } from './seeded-random.ts';

export type CostSearch = {
  seed: number;
  from?: number;
  requests: number;
  /** The folder of the build. */
  directory?: string;
};

/** Some requests end sessions, and attempts expire. */
const REQUESTS_PER_VISITOR = 100;
const REPEATS = 2;
/** After so many ends of the process the search ends too: it has shown enough, and each start takes seconds. */
const MAX_CRASHES = 5;
const MAX_MORE_DESCRIPTORS = 40;

/**
 * Returns the problems that requests have shown: each kind once, with the seed and the number of the first request that
 * has shown it.
 */
export async function searchCostlyRequests({
  seed,
  from = 0,
  requests,
  ...options
}: CostSearch): Promise<string[]> {
  const findings = createFindings();
  let target = await startTarget(options);
  let checkedLog = 0;
  let crashes = 0;
  try {
    for (let index = from; index < from + requests; index++) {
      if (index === from || index % REQUESTS_PER_VISITOR === 0) await target.renewVisitors();
      const request = largeRequest(createSeededRandom(seed, index), target.visitors);
      for (const problem of await target.findProblems(request)) {
        findings.add(problem, `seed ${seed}, request ${index}: ${excerptOf(request)}`);
      }
      if (!target.stack.site.isRunning()) {
        crashes += 1;
        if (crashes === MAX_CRASHES) return findings.list();
        await target.stop();
        target = await startTarget(options);
        checkedLog = 0;
        await target.renewVisitors();
      }
      if (index % REQUESTS_PER_VISITOR !== REQUESTS_PER_VISITOR - 1) continue;
      const log = await target.log();
      for (const problem of findLongLog(log.slice(checkedLog), REQUESTS_PER_VISITOR)) {
        findings.add(problem, `seed ${seed}, one of the requests before ${index + 1}`);
      }
      checkedLog = log.length;
    }
    for (const problem of await target.findHeld()) findings.add(problem, `seed ${seed}, after all requests`);
  } finally {
    await target.stop();
  }
  return findings.list();
}

type Target = {
  stack: Stack;
  visitors: Visitors;
  renewVisitors(): Promise<void>;
  findProblems(request: RawRequest): Promise<string[]>;
  log(): Promise<string>;
  /** Returns what the process holds although nothing is in progress. */
  findHeld(): Promise<string[]>;
  stop(): Promise<void>;
};

async function startTarget({ directory = '.' }: Pick<CostSearch, 'directory'>): Promise<Target> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const stack = await startStack({
    directory,
    topology: 'one machine',
    environment: {
      NODE_OPTIONS: `${INSPECTOR_ENVIRONMENT.NODE_OPTIONS} ${SMALL_HEAP}`,
      ICON_API_HOSTS: 'none',
      TRUSTED_PROXIES: '1',
      RATE_LIMIT_SCALE: '0',
    },
  });
  const heap = await openHeapInspector(stack.machines);
  const [pid = 0] = stack.site.pids;
  const first = await signUpVisitor(stack, agent, 'reader@example.com');
  const meter = await createCostMeter(heap, pid, () => first.request(examplePath()));
  const descriptors = openDescriptors(pid);
  const visitors: { sessions: string[]; attempts: { cookie: string; state: string }[] } = {
    sessions: [],
    attempts: [],
  };
  let renewals = 0;
  return {
    stack,
    visitors,
    async renewVisitors() {
      renewals += 1;
      const visitor = await signUpVisitor(stack, agent, `visitor-${renewals}@example.com`);
      visitors.sessions = [visitor.cookies.header()];
      visitors.attempts = [await beginSignIn(stack, agent)];
    },
    findProblems: (request) => findProblems(request, { stack, meter, agent }),
    async log() {
      await delay(150);
      return stack.site.output();
    },
    async findHeld() {
      agent.destroy();
      await delay(500);
      const now = openDescriptors(pid);
      return now > descriptors + MAX_MORE_DESCRIPTORS ? [`${now} descriptors (${descriptors} before)`] : [];
    },
    stop: () => stop(stack, agent, heap),
  };
}

async function stop(stack: Stack, agent: Agent, heap: HeapInspector): Promise<void> {
  heap.close();
  agent.destroy();
  if (stack.site.isRunning()) return stack.stop();
  await stack.cloud.close();
}

/** Returns the cookie and the state of a sign-in that has begun. */
async function beginSignIn({ site }: Stack, agent: Agent): Promise<{ cookie: string; state: string }> {
  const visitor = createSiteVisitor(site.origin, agent);
  const { headers } = await visitor.request('/auth/sign-in');
  const state = new URL(headers.location ?? '').searchParams.get('state') ?? '';
  return { cookie: visitor.cookies.header(), state };
}

async function findProblems(
  request: RawRequest,
  { stack, meter, agent }: { stack: Stack; meter: CostMeter; agent: Agent },
): Promise<string[]> {
  const send = () => sendRaw(stack.site.origin, request, agent);
  try {
    const { value, cost } = await meter.measure(send);
    const excess = await findConfirmedExcess(request, { meter, send, first: cost });
    return [...findViolations(request, value, stack), ...(excess === null ? [] : [excess])];
  } catch (error) {
    await delay(500);
    return [stack.site.isRunning() ? String(error) : `the process has died: ${error}`];
  }
}

/** Repeats an expensive request: only what it costs each time is its cost. */
async function findConfirmedExcess(
  request: RawRequest,
  { meter, send, first }: { meter: CostMeter; send: () => Promise<RawResponse>; first: Cost },
): Promise<string | null> {
  let cost = first;
  for (let repeat = 0; repeat < REPEATS && findExcess(request, cost); repeat++) {
    await delay(50);
    cost = lower(cost, (await meter.measure(send)).cost);
  }
  return findExcess(request, cost);
}

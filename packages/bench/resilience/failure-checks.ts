/** Failures of every upstream at once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../../tests/support/processes/stack.ts';
import { createSiteVisitor, type SiteVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { type Check, type CheckResult, tally } from './check.ts';
import { listMessages, type UpstreamUse, upstreamUses } from './upstream-uses.ts';
import { agent, SIGNED_IN, sessionStateOf, signUpExpiringVisitor } from './visitors.ts';

/** `fault` is injected into the local cloud. Null disconnects the local cloud. */
type FailureKind = { name: string; fault: Record<string, unknown> | null };

const FAILURE_KINDS: readonly FailureKind[] = [
  { name: 'connection refused', fault: null },
  { name: '429', fault: { kind: 'status', status: 429 } },
  { name: '503', fault: { kind: 'status', status: 503 } },
  { name: 'reset', fault: { kind: 'reset' } },
  { name: 'reset mid-body', fault: { kind: 'reset', status: 200 } },
  { name: 'HTML', fault: { kind: 'html' } },
  { name: 'invalid JSON', fault: { kind: 'invalid-json' } },
  { name: 'slow', fault: { kind: 'slow', delayMs: 10_000 } },
  { name: 'hanging', fault: { kind: 'hang' } },
];

/** More than a circuit breaker tolerates. */
const REQUESTS_EACH = 8;
const ANONYMOUS_PAGES = 20;
const MAX_MS = 5000;
/** An open circuit breaker is closed again by then. */
const MAX_RECOVERY_MS = 12_000;

/** A check for each kind of failure. */
export function failureChecks(stack: Stack): Check[] {
  return FAILURE_KINDS.map((kind) => ({
    name: `every upstream at once: ${kind.name}`,
    expectation: 'clear error within 5 s, anonymous pages unaffected, recovery without restart, 0 signed out',
    run: () => failUpstreams(kind, stack),
  }));
}

async function failUpstreams(kind: FailureKind, { site, cloud }: Stack): Promise<CheckResult> {
  const namePrefix = kind.name.replaceAll(' ', '-');
  const visitors = {
    // Has valid tokens and AWS credentials.
    ready: await signUpExpiringVisitor(cloud, site.origin, `ready-${namePrefix}`),
    expiring: await signUpExpiringVisitor(cloud, site.origin, `expiring-${namePrefix}`),
  };
  await visitors.ready.request('/api/graphql', listMessages);

  const repair = await breakUpstreams(kind, cloud);
  const pages = Array.from({ length: ANONYMOUS_PAGES }, () => timed(findPageProblem(site.origin)));
  const requests = upstreamUses.flatMap((use) =>
    Array.from({ length: REQUESTS_EACH }, () => timed(findProblem(use, visitors[use.visitor]))),
  );
  const [responses, pageResponses] = await Promise.all([Promise.all(requests), Promise.all(pages)]);
  await repair();
  const recoveries = await Promise.all(
    upstreamUses.map((use) => timed(findRecoveryProblem(use, visitors[use.visitor]))),
  );
  const late = responses.filter(({ problem, ms }) => problem === null && ms > MAX_MS).map(() => 'late');
  const found = [...responses, ...pageResponses, ...recoveries].flatMap(({ problem }) => problem ?? []);
  const problems = [...found, ...late];
  return {
    result:
      (problems.length === 0 ? 'no problem' : tally(problems)) +
      `; slowest response ${slowest(responses)}, page ${slowest(pageResponses)}, recovery ${slowest(recoveries)}`,
    passed: problems.length === 0,
  };
}

/** Makes every upstream fail. Returns the function that repairs them. */
async function breakUpstreams({ fault }: FailureKind, cloud: LocalCloud): Promise<() => Promise<void>> {
  if (fault === null) {
    await cloud.disconnect();
    return cloud.reconnect;
  }
  cloud.faults.set({ faults: upstreamUses.map(({ service }) => ({ service, ...fault })) });
  return async () => cloud.faults.set({});
}

type Timed = { problem: string | null; ms: number };

async function timed(problem: Promise<string | null>): Promise<Timed> {
  const startedAt = performance.now();
  return { problem: await problem, ms: performance.now() - startedAt };
}

function slowest(measured: readonly Timed[]): string {
  return `${(Math.max(...measured.map(({ ms }) => ms)) / 1000).toFixed(2)} s`;
}

async function findProblem(use: UpstreamUse, visitor: SiteVisitor): Promise<string | null> {
  const outcome = await use.request(visitor);
  return use.isExpected(outcome) ? null : `${use.service} ${outcome}`;
}

async function findRecoveryProblem(use: UpstreamUse, visitor: SiteVisitor): Promise<string | null> {
  const deadline = performance.now() + MAX_RECOVERY_MS;
  while (performance.now() < deadline) {
    const isRecovered = (await use.request(visitor)) === use.recovered;
    if (isRecovered && (await sessionStateOf(visitor)) === SIGNED_IN) return null;
    await delay(200);
  }
  return `${use.service} does not recover`;
}

async function findPageProblem(origin: string): Promise<string | null> {
  const { status } = await createSiteVisitor(origin, agent).request('/typography-demo');
  return status === 200 ? null : `anonymous page ${status}`;
}

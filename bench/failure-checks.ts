import { setTimeout as wait } from 'node:timers/promises';
import { LIST_MESSAGES } from '../app/pages/test-message.graphql.generated.ts';
import { createSiteVisitor, type SiteVisitor } from '../tests/support/site-visitor.ts';
import type { Stack } from '../tests/support/stack.ts';
import { type Check, tally } from './check.ts';
import { agent, dueVisitor, stateOf } from './visitors.ts';

type Kind = { name: string; fault: Record<string, unknown> };

const kinds: readonly Kind[] = [
  { name: '429', fault: { kind: 'status', status: 429 } },
  { name: '503', fault: { kind: 'status', status: 503 } },
  { name: 'reset', fault: { kind: 'reset' } },
  { name: 'reset mid-body', fault: { kind: 'reset', status: 200 } },
  { name: 'HTML', fault: { kind: 'html' } },
  { name: 'invalid JSON', fault: { kind: 'invalid-json' } },
  { name: 'slow', fault: { kind: 'slow', delayMs: 10_000 } },
  { name: 'hanging', fault: { kind: 'hang' } },
];

/** How an upstream's failure is met, and what a visitor is told as soon as it is over. */
type Upstream = {
  service: 'graphql' | 'cognito-identity' | 'cognito-idp';
  /** Whether the answer while it fails is what was promised. */
  isRight(answer: string): boolean;
  ask(visitor: SiteVisitor): Promise<string>;
  recovered: string;
};

const MAX_MS = 5000;
/** A breaker that opened is closed again by then. */
const RECOVERY_MS = 12_000;

const operation = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: LIST_MESSAGES.query, operationName: 'ListMessages', variables: {} }),
};

const isClearError = (answer: string) => /^50[234] with a code$/.test(answer);

const upstreams: readonly Upstream[] = [
  {
    service: 'graphql',
    isRight: isClearError,
    ask: async (visitor) => answerOf(await visitor.copy().ask('/api/graphql', operation)),
    recovered: '200',
  },
  {
    service: 'cognito-identity',
    isRight: isClearError,
    // Without a cookie: a new guest each time, so that no credentials are at hand.
    ask: async (visitor) => answerOf(await visitor.copy().ask('/api/identity', { headers: { cookie: '' } })),
    recovered: '200',
  },
  {
    service: 'cognito-idp',
    isRight: (answer) => answer === 'signed in',
    ask: (visitor) => stateOf(visitor.copy()),
    recovered: 'signed in',
  },
];

/** What the site promises while an upstream fails, in each way that it can. */
export function failureChecks(stack: Stack): Check[] {
  return upstreams.map((upstream) => ({
    name: `${upstream.service} fails: ${kinds.map(({ name }) => name).join(', ')}`,
    promise:
      'an answer within 5 s that says so, anonymous pages undisturbed, recovery by itself, 0 signed out',
    run: () => failInEveryWay(upstream, stack),
  }));
}

async function failInEveryWay(upstream: Upstream, { site, cloud }: Stack) {
  const problems: string[] = [];
  let answered = 0;
  for (const { name, fault } of kinds) {
    const visitor = await dueVisitor(cloud, site.origin, `${upstream.service}-${name.replaceAll(' ', '-')}`);
    cloud.faults.set({ faults: [{ service: upstream.service, ...fault }] });
    const startedAt = performance.now();
    const [answers, pages] = await Promise.all([
      // More than it takes to open a breaker.
      Promise.all(Array.from({ length: 8 }, () => timed(upstream.ask(visitor)))),
      Promise.all(Array.from({ length: 20 }, () => timed(anonymousPage(site.origin)))),
    ]);
    answered += answers.length;
    for (const { value, ms } of answers) {
      if (!upstream.isRight(value) || ms > MAX_MS)
        problems.push(`${name}: ${value} after ${Math.round(ms)} ms`);
    }
    for (const { value } of pages) if (value !== '200') problems.push(`${name}: anonymous page ${value}`);
    cloud.faults.set({});
    if (!(await recovers(upstream, visitor))) problems.push(`${name}: no recovery`);
    if (performance.now() - startedAt > 40_000) problems.push(`${name}: took too long`);
  }
  return {
    figure:
      problems.length > 0
        ? tally(problems)
        : `${answered} of ${answered} answers right, ${kinds.length} recoveries`,
    passed: problems.length === 0,
  };
}

async function recovers({ ask, recovered }: Upstream, visitor: SiteVisitor): Promise<boolean> {
  const until = performance.now() + RECOVERY_MS;
  while (performance.now() < until) {
    if ((await ask(visitor)) === recovered && (await stateOf(visitor)) === 'signed in') return true;
    await wait(200);
  }
  return false;
}

async function anonymousPage(origin: string): Promise<string> {
  return String((await createSiteVisitor(origin, agent).ask('/typography-demo')).status);
}

async function timed(answer: Promise<string>): Promise<{ value: string; ms: number }> {
  const startedAt = performance.now();
  return { value: await answer, ms: performance.now() - startedAt };
}

function answerOf({ status, body }: { status: number; body: string }): string {
  return /"errorType":"\w+"/.test(body) ? `${status} with a code` : String(status);
}

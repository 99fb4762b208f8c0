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

/** More than it takes to open a breaker. */
const ASKS = 8;
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

/** What the site promises while its upstreams fail, all at once, in each way that they can. */
export function failureChecks(stack: Stack): Check[] {
  const services = upstreams.map(({ service }) => service).join(', ');
  return [
    {
      name: `${services} fail: ${kinds.map(({ name }) => name).join(', ')}`,
      promise:
        'an answer within 5 s that says so, anonymous pages undisturbed, recovery by itself, 0 signed out',
      async run() {
        const problems: string[] = [];
        for (const kind of kinds) problems.push(...(await failIn(kind, stack)));
        const all = kinds.length * upstreams.length;
        return {
          figure: problems.length > 0 ? tally(problems) : `${all * ASKS} right answers, ${all} recoveries`,
          passed: problems.length === 0,
        };
      },
    },
  ];
}

/** What went otherwise than was promised. */
async function failIn({ name, fault }: Kind, { site, cloud }: Stack): Promise<string[]> {
  const prefix = name.replaceAll(' ', '-');
  // The one has tokens and credentials at hand, the other is due for a refresh.
  const warm = await dueVisitor(cloud, site.origin, `warm-${prefix}`);
  await warm.ask('/api/graphql', operation);
  const due = await dueVisitor(cloud, site.origin, `due-${prefix}`);
  const visitorOf = ({ service }: Upstream) => (service === 'cognito-idp' ? due : warm);

  cloud.faults.set({ faults: upstreams.map(({ service }) => ({ service, ...fault })) });
  const pages = Array.from({ length: 20 }, () => anonymousPage(site.origin));
  const asked = upstreams.flatMap((upstream) =>
    Array.from({ length: ASKS }, () => judgeAnswer(upstream, visitorOf(upstream))),
  );
  const problems = [...(await Promise.all(asked)), ...(await Promise.all(pages))];
  cloud.faults.set({});
  problems.push(...(await Promise.all(upstreams.map((upstream) => recovers(upstream, visitorOf(upstream))))));
  return problems.flatMap((problem) => (problem === null ? [] : [`${name}: ${problem}`]));
}

async function judgeAnswer(
  { service, ask, isRight }: Upstream,
  visitor: SiteVisitor,
): Promise<string | null> {
  const startedAt = performance.now();
  const answer = await ask(visitor);
  if (!isRight(answer)) return `${service} ${answer}`;
  return performance.now() - startedAt > MAX_MS ? `${service} late` : null;
}

async function recovers({ service, ask, recovered }: Upstream, visitor: SiteVisitor): Promise<string | null> {
  const until = performance.now() + RECOVERY_MS;
  while (performance.now() < until) {
    if ((await ask(visitor)) === recovered && (await stateOf(visitor)) === 'signed in') return null;
    await wait(200);
  }
  return `${service} does not recover`;
}

async function anonymousPage(origin: string): Promise<string | null> {
  const { status } = await createSiteVisitor(origin, agent).ask('/typography-demo');
  return status === 200 ? null : `anonymous page ${status}`;
}

function answerOf({ status, body }: { status: number; body: string }): string {
  return /"errorType":"\w+"/.test(body) ? `${status} with a code` : String(status);
}

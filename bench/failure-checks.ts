import { setTimeout as wait } from 'node:timers/promises';
import { LIST_MESSAGES } from '../app/pages/test-message/test-message.graphql.generated.ts';
import type { LocalCloud } from '../local-cloud/start.ts';
import type { Stack } from '../tests/support/processes/stack.ts';
import { createSiteVisitor, type SiteVisitor } from '../tests/support/sign-in/site-visitor.ts';
import { type Check, tally } from './check.ts';
import { agent, dueVisitor, stateOf } from './visitors.ts';

/** `fault` is what the local cloud is told to do; null: it cannot be reached at all. */
type Kind = { name: string; fault: Record<string, unknown> | null };

const kinds: readonly Kind[] = [
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
    ask: async (visitor) => answerOf(await visitor.copy().request('/api/graphql', operation)),
    recovered: '200',
  },
  {
    service: 'cognito-identity',
    isRight: isClearError,
    // Without a cookie: a new guest each time, so that no credentials are at hand.
    ask: async (visitor) =>
      answerOf(await visitor.copy().request('/api/identity', { headers: { cookie: '' } })),
    recovered: '200',
  },
  {
    service: 'cognito-idp',
    isRight: (answer) => answer === 'signed in',
    ask: (visitor) => stateOf(visitor.copy()),
    recovered: 'signed in',
  },
];

/** What the site promises while its upstreams fail, all at once: a check for each way in which they can. */
export function failureChecks(stack: Stack): Check[] {
  return kinds.map((kind) => ({
    name: `every upstream at once: ${kind.name}`,
    promise: 'told within 5 s, anonymous pages undisturbed, recovery by itself, 0 signed out',
    run: () => failIn(kind, stack),
  }));
}

async function failIn(kind: Kind, { site, cloud }: Stack): Promise<{ figure: string; passed: boolean }> {
  const prefix = kind.name.replaceAll(' ', '-');
  // The one has tokens and credentials at hand, the other is due for a refresh.
  const warm = await dueVisitor(cloud, site.origin, `warm-${prefix}`);
  await warm.request('/api/graphql', operation);
  const due = await dueVisitor(cloud, site.origin, `due-${prefix}`);
  const visitorOf = ({ service }: Upstream) => (service === 'cognito-idp' ? due : warm);

  const mend = await breakDown(kind, cloud);
  const pages = Array.from({ length: 20 }, () => judged(anonymousPage(site.origin)));
  const asked = upstreams.flatMap((upstream) =>
    Array.from({ length: ASKS }, () => judged(judgeAnswer(upstream, visitorOf(upstream)))),
  );
  const [answers, pageAnswers] = await Promise.all([Promise.all(asked), Promise.all(pages)]);
  await mend();
  const recoveries = await Promise.all(
    upstreams.map((upstream) => judged(recovers(upstream, visitorOf(upstream)))),
  );
  const late = answers.filter(({ problem, ms }) => problem === null && ms > MAX_MS).map(() => 'late');
  const problems = [...answers, ...pageAnswers, ...recoveries].flatMap(({ problem }) => problem ?? []);
  return {
    figure:
      tally([...problems, ...late]).replace('nothing', 'nothing amiss') +
      `; slowest answer ${slowest(answers)}, page ${slowest(pageAnswers)}, recovery ${slowest(recoveries)}`,
    passed: problems.length === 0 && late.length === 0,
  };
}

/** Makes every upstream fail and gives what ends that. */
async function breakDown({ fault }: Kind, cloud: LocalCloud): Promise<() => Promise<void>> {
  if (fault === null) {
    await cloud.disconnect();
    return cloud.reconnect;
  }
  cloud.faults.set({ faults: upstreams.map(({ service }) => ({ service, ...fault })) });
  return async () => cloud.faults.set({});
}

type Judged = { problem: string | null; ms: number };

async function judged(problem: Promise<string | null>): Promise<Judged> {
  const startedAt = performance.now();
  return { problem: await problem, ms: performance.now() - startedAt };
}

function slowest(judgements: readonly Judged[]): string {
  return `${(Math.max(...judgements.map(({ ms }) => ms)) / 1000).toFixed(2)} s`;
}

async function judgeAnswer(
  { service, ask, isRight }: Upstream,
  visitor: SiteVisitor,
): Promise<string | null> {
  const answer = await ask(visitor);
  return isRight(answer) ? null : `${service} ${answer}`;
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
  const { status } = await createSiteVisitor(origin, agent).request('/typography-demo');
  return status === 200 ? null : `anonymous page ${status}`;
}

function answerOf({ status, body }: { status: number; body: string }): string {
  return /"errorType":"\w+"/.test(body) ? `${status} with a code` : String(status);
}

/** All upstreams fail at once, in each of the ways in which a service can fail. */
import { describe, expect, it } from 'vitest';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath } from '../../support/this-site.ts';
import { settlesWithin } from '../../support/timing/settles-within.ts';
import { setUpStack } from '../support/set-up-stack.ts';

/** More than a circuit breaker tolerates. */
const REQUESTS_EACH = 8;
/** An open circuit breaker is closed again by then. */
const RECOVERY_MS = 15_000;
const CLEAR_ERROR = /^50[234] with a code$/;

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });

const json = { 'content-type': 'application/json' };
const listMessages = {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
};

/** A request that needs the service, and what it gets while the service fails and afterwards. */
const uses = {
  graphql: {
    send: (visitor: SiteVisitor) => outcomeOf(visitor.copy().request('/api/graphql', listMessages)),
    failed: CLEAR_ERROR,
    recovered: '200',
  },
  'cognito-identity': {
    // Without a cookie each request is a new guest, for whom no credentials are cached.
    send: (visitor: SiteVisitor) =>
      outcomeOf(visitor.copy().request('/api/identity', { headers: { cookie: '' } })),
    failed: CLEAR_ERROR,
    recovered: '200',
  },
  'cognito-idp': {
    // A body that is no JSON is rejected, but only after the session has been opened: 401 without one.
    send: (visitor: SiteVisitor) =>
      outcomeOf(visitor.copy().request('/api/graphql', { ...listMessages, body: '-' })),
    failed: /^400/,
    recovered: '400 with a code',
  },
};

async function outcomeOf(response: ReturnType<SiteVisitor['request']>): Promise<string> {
  const { status, body } = await response;
  return /"(?:errorType|code)":"\w+"/.test(body) ? `${status} with a code` : String(status);
}

describe('when the data API, the identity pool and the user pool fail at once', () => {
  // threat-model: T-035
  it.each<[string, Record<string, unknown> | null]>([
    ['refused connections', null],
    ['429', { kind: 'status', status: 429 }],
    ['503', { kind: 'status', status: 503 }],
    ['a reset', { kind: 'reset' }],
    ['a reset within the body', { kind: 'reset', status: 200 }],
    ['HTML', { kind: 'html' }],
    ['invalid JSON', { kind: 'invalid-json' }],
    ['slow responses', { kind: 'slow', delayMs: 10_000 }],
    ['no response', { kind: 'hang' }],
  ])(
    'with %s, requests get a clear error in time and no session ends; afterwards all work again',
    async (name, fault) => {
      const { cloud } = stack;
      const account = name.replaceAll(' ', '-').toLowerCase();
      const ready = await stack.signUp(`ready-${account}`);
      await ready.request('/api/graphql', listMessages);
      // Tokens are refreshed five seconds before they expire.
      cloud.faults.set({ tokenSeconds: 4 });
      const visitors = {
        graphql: ready,
        'cognito-identity': ready,
        'cognito-idp': await stack.signUp(account),
      };
      const all = Object.entries(uses).map(([service, use]) => ({
        ...use,
        visitor: visitors[service as keyof typeof uses],
      }));

      if (fault) cloud.faults.set({ faults: Object.keys(uses).map((service) => ({ service, ...fault })) });
      else await cloud.disconnect();
      await Promise.all([
        ...all.flatMap(({ send, failed, visitor }) =>
          Array.from({ length: REQUESTS_EACH }, async () =>
            expect(await settlesWithin(8000, send(visitor))).toMatch(failed),
          ),
        ),
        ...Array.from({ length: REQUESTS_EACH }, async () =>
          expect((await stack.get(examplePath())).status).toBe(200),
        ),
      ]);

      if (fault) cloud.faults.set({});
      else await cloud.reconnect();
      for (const { send, recovered, visitor } of all) {
        await expect.poll(() => send(visitor), { timeout: RECOVERY_MS, interval: 200 }).toBe(recovered);
        expect(await visitor.isSignedIn()).toBe(true);
      }
    },
  );
});

import { Agent } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const REQUESTS = 10_000;
const operation = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(shippedQuery),
};
/**
 * Beyond the rate limit, beyond what the process handles at a time, and beyond the time of a call: the data API runs in the
 * process that sends all these requests.
 */
const overLimit = [429, 503, 504];

const stack = setUpStack();
const agent = new Agent({ keepAlive: true, maxSockets: 500 });
afterAll(() => agent.destroy());

// threat-model: T-030
it('ten thousand requests at the expiry of the tokens cause one refresh, and none of them is signed out', async () => {
  // Tokens are refreshed five seconds before they expire.
  stack.cloud.faults.set({ tokenSeconds: 4 });
  const ada = await signUpVisitor(stack, agent, 'ada@example.com');
  stack.cloud.faults.set({});
  stack.cloud.faults.forgetCalls();

  const statuses = await Promise.all(
    Array.from(
      { length: REQUESTS },
      async () => (await ada.copy().request('/api/graphql', operation)).status,
    ),
  );
  expect(statuses.filter((status) => status !== 200 && !overLimit.includes(status))).toEqual([]);
  expect(stack.cloud.faults.calls['cognito-idp']).toEqual({ GetTokensFromRefreshToken: 1 });
  expect(await ada.isSignedIn()).toBe(true);
});

/** Token refreshes of one process. */

import type { Stack } from '../../../tests/support/processes/stack.ts';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { type Check, type CheckResult, tally } from './check.ts';
import {
  countRefreshes,
  requestInParallel,
  SIGNED_IN,
  sessionEmailOf,
  sessionStateOf,
  signUpExpiringVisitor,
  signUpExpiringVisitors,
} from './visitors.ts';

const SLOW_REFRESH_MS = 8000;

/** Checks of the refreshes of one process. */
export function refreshChecks({ site: { origin }, cloud }: Stack): Check[] {
  return [
    {
      name: '10,000 parallel requests of one session at expiry',
      expectation: '1 refresh, 0 signed out',
      run: () => refreshOnce(cloud, origin),
    },
    {
      name: '1,000 sessions × 10 requests expiring together',
      expectation: '1,000 refreshes, every response for the session that sent the request',
      run: () => expireTogether(cloud, origin, { sessions: 1000, requestsEach: 10 }),
    },
    {
      name: 'a refresh that takes 8 s',
      expectation: '1 refresh, no request waits until its end, 0 signed out',
      run: () => refreshSlowly(cloud, origin),
    },
  ];
}

async function refreshOnce(cloud: LocalCloud, origin: string): Promise<CheckResult> {
  const visitor = await signUpExpiringVisitor(cloud, origin, 'parallel');
  const states = await requestInParallel(visitor, 10_000);
  const refreshes = countRefreshes(cloud);
  return { result: `${refreshes} refresh, ${tally(states)}`, passed: refreshes === 1 && allSignedIn(states) };
}

async function expireTogether(
  cloud: LocalCloud,
  origin: string,
  { sessions, requestsEach }: { sessions: number; requestsEach: number },
): Promise<CheckResult> {
  const visitors = await signUpExpiringVisitors(cloud, origin, sessions, 'crowd');
  const requests = visitors.flatMap((visitor) => Array.from({ length: requestsEach }, () => visitor));
  const responses = await Promise.all(
    requests.map(async ({ email, visitor }) => {
      const copy = visitor.copy();
      const state = await sessionStateOf(copy);
      return { state, isOwn: (await sessionEmailOf(copy)) === email };
    }),
  );
  const refreshes = countRefreshes(cloud);
  const foreign = responses.filter(({ isOwn }) => !isOwn).length;
  const states = responses.map(({ state }) => state);
  return {
    result: `${refreshes.toLocaleString('en')} refreshes, ${foreign} of another session, ${tally(states)}`,
    passed: refreshes === sessions && foreign === 0 && allSignedIn(states),
  };
}

async function refreshSlowly(cloud: LocalCloud, origin: string): Promise<CheckResult> {
  const visitor = await signUpExpiringVisitor(cloud, origin, 'slow');
  cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: SLOW_REFRESH_MS }] });
  const states: string[] = [];
  let waited = 0;
  const deadline = performance.now() + SLOW_REFRESH_MS;
  const requestRepeatedly = async () => {
    while (performance.now() < deadline) {
      const startedAt = performance.now();
      states.push(await sessionStateOf(visitor.copy()));
      if (performance.now() - startedAt >= SLOW_REFRESH_MS) waited += 1;
    }
  };
  await Promise.all(Array.from({ length: 50 }, requestRepeatedly));
  cloud.faults.set({});
  states.push(await sessionStateOf(visitor));
  const refreshes = countRefreshes(cloud);
  return {
    result: `${refreshes} refresh, ${waited} waited for it, ${tally(states)}`,
    passed: refreshes === 1 && waited === 0 && allSignedIn(states),
  };
}

function allSignedIn(states: readonly string[]): boolean {
  return states.every((state) => state === SIGNED_IN);
}

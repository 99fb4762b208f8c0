import type { LocalCloud } from '../local-cloud/start.ts';
import type { Stack } from '../tests/support/processes/stack.ts';
import { type Check, tally } from './check.ts';
import { dueVisitor, dueVisitors, ownerOf, race, refreshesAt, stateOf } from './visitors.ts';

const SLOW_MS = 8000;

/** What one process promises of its refreshes. */
export function refreshChecks({ site, cloud }: Stack): Check[] {
  return [
    {
      name: '10,000 parallel requests of one session at expiry',
      promise: '1 refresh, 0 signed out',
      async run() {
        const states = await race(await dueVisitor(cloud, site.origin, 'race'), 10_000);
        return {
          figure: `${refreshesAt(cloud)} refresh, ${tally(states)}`,
          passed: refreshesAt(cloud) === 1 && states.every((state) => state === 'signed in'),
        };
      },
    },
    {
      name: '1,000 sessions × 10 requests expiring together',
      promise: '1,000 refreshes, every answer its own user’s',
      run: () => expireTogether(cloud, site.origin, 1000, 10),
    },
    {
      name: 'a refresh that takes 8 s',
      promise: '1 refresh, nobody waits for its end, 0 signed out',
      async run() {
        const visitor = await dueVisitor(cloud, site.origin, 'patience');
        cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: SLOW_MS }] });
        const waits: number[] = [];
        const until = performance.now() + SLOW_MS;
        const states: string[] = [];
        const visit = async () => {
          while (performance.now() < until) {
            const startedAt = performance.now();
            states.push(await stateOf(visitor.copy()));
            waits.push(performance.now() - startedAt);
          }
        };
        await Promise.all(Array.from({ length: 50 }, visit));
        cloud.faults.set({});
        states.push(await stateOf(visitor));
        const late = waits.filter((ms) => ms >= SLOW_MS).length;
        return {
          figure: `${refreshesAt(cloud)} refresh, ${late} waited for it, ${tally(states)}`,
          passed: refreshesAt(cloud) === 1 && late === 0 && states.every((state) => state === 'signed in'),
        };
      },
    },
  ];
}

async function expireTogether(cloud: LocalCloud, origin: string, sessions: number, each: number) {
  const visitors = await dueVisitors(cloud, origin, sessions, 'crowd');
  const answers = await Promise.all(
    visitors.flatMap(({ email, visitor }) =>
      Array.from({ length: each }, async () => {
        const copy = visitor.copy();
        const state = await stateOf(copy);
        return { state, email, copy };
      }),
    ),
  );
  const owners = await Promise.all(answers.map(({ copy }) => ownerOf(copy)));
  const foreign = answers.filter(({ email }, index) => owners[index] !== email).length;
  const states = answers.map(({ state }) => state);
  return {
    figure: `${refreshesAt(cloud).toLocaleString('en')} refreshes, ${foreign} of another user, ${tally(states)}`,
    passed:
      refreshesAt(cloud) === sessions && foreign === 0 && states.every((state) => state === 'signed in'),
  };
}

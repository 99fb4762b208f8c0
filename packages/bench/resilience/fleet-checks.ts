/** Several processes of the site behind a load balancer. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Fleet, startFleet } from '../../../tests/support/processes/fleet.ts';
import { machineHeader } from '../../../tests/support/processes/load-balancer.ts';
import { redisProgram, startRedis } from '../../../tests/support/processes/redis.ts';
import { createSiteVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { SESSION_SECRET } from '../load/session-cookies.ts';
import { type Check, type CheckResult, tally } from './check.ts';
import {
  agent,
  countRefreshes,
  EXPIRING_TOKEN_SECONDS,
  requestInParallel,
  SIGNED_IN,
  SIGNED_OUT,
  signUpExpiringVisitor,
} from './visitors.ts';

const MACHINES = 4;
const REQUESTS = 1000;
const OLD_SECRET = 'w9Xe3Kd7Pb1Vn5Hq8Zt2Lc6Rf4Jm0YsA';

/** Checks of several processes together. `onOutput` receives what they have written. */
export function fleetChecks(cloud: LocalCloud, onOutput: (text: string) => void): Check[] {
  const sharedStore: Check = {
    name: '4 processes, one store',
    expectation:
      '1 refresh with the store, 1 to 4 while it fails and without it, 1 after it returns; 0 signed out',
    run: () => loseSharedStore(cloud, onOutput),
  };
  const rotation: Check = {
    name: 'key rotation under load',
    expectation: '0 signed out while two processes seal with different secrets',
    run: () => rotateSecrets(cloud, onOutput),
  };
  return redisProgram === null ? [rotation] : [sharedStore, rotation];
}

async function loseSharedStore(cloud: LocalCloud, onOutput: (text: string) => void): Promise<CheckResult> {
  const redis = await startRedis();
  const environment = () => ({ SESSION_SECRETS: SESSION_SECRET, REDIS_URL: redis.url });
  const fleet = await startFleet(cloud, { size: MACHINES, environment });
  try {
    await waitUntilLogged(fleet, 'shared store connected');
    const shared = await expireOnFleet(cloud, fleet, 'shared');
    const failing = await expireOnFleet(cloud, fleet, 'failing', async () => {
      while (countRefreshes(cloud) === 0) await delay(10);
      await redis.kill();
    });
    const without = await expireOnFleet(cloud, fleet, 'without');
    await redis.restart();
    await waitUntilLogged(fleet, 'shared store reconnected');
    const again = await expireOnFleet(cloud, fleet, 'again');
    const phases = [shared, failing, without, again];
    const states = phases.flatMap((phase) => phase.states);
    return {
      result: `${phases.map(({ refreshes }) => refreshes).join(', ')} refreshes, ${tally(states)}`,
      passed:
        shared.refreshes === 1 &&
        isOnePerMachine(failing.refreshes) &&
        isOnePerMachine(without.refreshes) &&
        again.refreshes === 1 &&
        states.every((state) => state === SIGNED_IN),
    };
  } finally {
    onOutput(outputOf(fleet));
    await fleet.stop();
    await redis.kill();
  }
}

/** Parallel requests of a new visitor whose tokens expire. With `duringRefresh`, the refresh takes a second. */
async function expireOnFleet(
  cloud: LocalCloud,
  { origin }: Fleet,
  name: string,
  duringRefresh?: () => Promise<void>,
): Promise<{ refreshes: number; states: string[] }> {
  const visitor = await signUpExpiringVisitor(cloud, origin, name);
  if (duringRefresh) {
    cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: 1000 }] });
  }
  const requests = requestInParallel(visitor, REQUESTS);
  await duringRefresh?.();
  const states = await requests;
  return { refreshes: countRefreshes(cloud), states };
}

/** At most one refresh per machine; fewer when a request came after another machine's refresh. */
function isOnePerMachine(refreshes: number): boolean {
  return refreshes >= 1 && refreshes <= MACHINES;
}

async function waitUntilLogged({ sites }: Fleet, message: string): Promise<void> {
  while (!sites.every((site) => site.output().includes(`"msg":"${message}"`))) await delay(50);
}

function outputOf({ sites }: Fleet): string {
  return sites.map((site) => site.output()).join('');
}

/** Two processes in each step of a rotation: the new secret is first added to both, then sealed with by both. */
const ROTATION = [
  [OLD_SECRET, `${OLD_SECRET},${SESSION_SECRET}`],
  [`${OLD_SECRET},${SESSION_SECRET}`, `${SESSION_SECRET},${OLD_SECRET}`],
  [`${SESSION_SECRET},${OLD_SECRET}`, `${SESSION_SECRET},${OLD_SECRET}`],
] as const;

/** One browser keeps its cookies through all steps. Its tokens expire in each, so that its session is sealed again. */
async function rotateSecrets(cloud: LocalCloud, onOutput: (text: string) => void): Promise<CheckResult> {
  const states: string[] = [];
  let visitor = null;
  for (const secrets of ROTATION) {
    const environment = (index: number) => ({ SESSION_SECRETS: secrets[index] ?? OLD_SECRET });
    const fleet: Fleet = await startFleet(cloud, { size: secrets.length, environment });
    try {
      visitor = visitor
        ? createSiteVisitor(fleet.origin, agent, visitor.cookies)
        : await signUpExpiringVisitor(cloud, fleet.origin, 'rotation');
      states.push(...(await requestInParallel(visitor, REQUESTS)));
      cloud.faults.set({ tokenSeconds: EXPIRING_TOKEN_SECONDS });
      // Each machine opens what the other one has sealed.
      for (const machine of [0, 1]) {
        const copy = visitor.copy();
        for (const target of [machine, 1 - machine]) {
          const isSignedIn = await copy.isSignedIn(machineHeader(target));
          states.push(isSignedIn ? SIGNED_IN : SIGNED_OUT);
        }
        if (machine === 1) visitor = copy;
      }
    } finally {
      onOutput(outputOf(fleet));
      await fleet.stop();
      cloud.faults.set({});
    }
  }
  return { result: tally(states), passed: states.every((state) => state === SIGNED_IN) };
}

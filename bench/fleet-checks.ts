import { setTimeout as wait } from 'node:timers/promises';
import type { LocalCloud } from '../local-cloud/start.ts';
import { startFleet } from '../tests/support/processes/fleet.ts';
import { machineHeader } from '../tests/support/processes/load-balancer.ts';
import { redisProgram, startRedis } from '../tests/support/processes/redis.ts';
import { createSiteVisitor, type SiteVisitor } from '../tests/support/sign-in/site-visitor.ts';
import { type Check, tally } from './check.ts';
import { agent, dueVisitor, race, refreshesAt, SECRET } from './visitors.ts';

const MACHINES = 4;
const REQUESTS = 1000;
const OLD_SECRET = 'w9Xe3Kd7Pb1Vn5Hq8Zt2Lc6Rf4Jm0YsA';

const isSignedIn = (state: string) => state === 'signed in';

/** As many refreshes as machines, or fewer where one came too late to need its own; none would be a session let die. */
const isEachItsOwn = (refreshes: number) => refreshes >= 1 && refreshes <= MACHINES;

/** What several processes promise together. */
export function fleetChecks(cloud: LocalCloud, output: (text: string) => void): Check[] {
  const sharing: Check = {
    name: '4 processes, one store',
    promise: '1 refresh; with the store killed meanwhile, and without it, 1 to 4; 1 again; 0 signed out',
    run: () => shareAndLose(cloud, output),
  };
  const rotation: Check = {
    name: 'key rotation under load',
    promise: '0 signed out while two processes have different secrets in front',
    run: () => rotate(cloud, output),
  };
  if (redisProgram !== null) return [sharing, rotation];
  return [rotation];
}

async function shareAndLose(cloud: LocalCloud, output: (text: string) => void) {
  const redis = await startRedis();
  const environment = () => ({ SESSION_SECRETS: SECRET, REDIS_URL: redis.url });
  const fleet = await startFleet(cloud, { size: MACHINES, environment });
  const log = () => fleet.sites.map((site) => site.output()).join('');
  const everyLogged = (message: string) =>
    fleet.sites.every((site) => site.output().includes(`"msg":"${message}"`));
  try {
    while (!everyLogged('shared store connected')) await wait(50);
    const counts: number[] = [];
    const states: string[] = [];
    const raceOnce = async (name: string, meanwhile: () => Promise<void> = async () => {}) => {
      const visitor = await dueVisitor(cloud, fleet.origin, name);
      if (name === 'meanwhile') slowRefresh(cloud);
      const racing = race(visitor, REQUESTS);
      await meanwhile();
      states.push(...(await racing));
      counts.push(refreshesAt(cloud));
    };
    await raceOnce('shared');
    await raceOnce('meanwhile', async () => {
      while (refreshesAt(cloud) === 0) await wait(10);
      await redis.kill();
    });
    await raceOnce('without');
    await redis.restart();
    while (!everyLogged('shared store reconnected')) await wait(50);
    await raceOnce('again');
    const [shared, meanwhile = Number.NaN, without = Number.NaN, again] = counts;
    return {
      figure: `${counts.join(', ')} refreshes, ${tally(states)}`,
      passed:
        shared === 1 &&
        isEachItsOwn(meanwhile) &&
        isEachItsOwn(without) &&
        again === 1 &&
        states.every(isSignedIn),
    };
  } finally {
    output(log());
    await fleet.stop();
    await redis.kill();
  }
}

/** Long enough for the store to be killed while it is under way. */
function slowRefresh(cloud: LocalCloud): void {
  cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: 1000 }] });
}

/** A new secret comes last everywhere, then first everywhere; each time both kinds of process run at once. */
async function rotate(cloud: LocalCloud, output: (text: string) => void) {
  const before = OLD_SECRET;
  const known = `${OLD_SECRET},${SECRET}`;
  const after = `${SECRET},${OLD_SECRET}`;
  const states: string[] = [];
  let cookies: Awaited<ReturnType<typeof dueVisitor>>['cookies'] | undefined;
  for (const pair of [
    [before, known],
    [known, after],
    [after, after],
  ]) {
    const environment = (index: number) => ({ SESSION_SECRETS: pair[index] ?? before });
    const fleet = await startFleet(cloud, { size: 2, environment });
    try {
      // The same browser through all of it; its tokens are due each time, so that its cookie is sealed anew.
      const visitor = cookies
        ? createSiteVisitor(fleet.origin, agent, cookies)
        : await dueVisitor(cloud, fleet.origin, 'rotation');
      states.push(...(await race(visitor, REQUESTS)));
      cloud.faults.set({ tokenSeconds: 4 });
      // What the one has sealed anew, the other opens.
      for (const machine of [0, 1]) {
        const copy = visitor.copy();
        for (const asked of [machine, 1 - machine]) states.push(await told(copy, machineHeader(asked)));
        cookies = copy.cookies;
      }
    } finally {
      output(fleet.sites.map((site) => site.output()).join(''));
      await fleet.stop();
      cloud.faults.set({});
    }
  }
  return { figure: tally(states), passed: states.every(isSignedIn) };
}

async function told(visitor: SiteVisitor, headers: Record<string, string>): Promise<string> {
  return (await visitor.isSignedIn(headers)) ? 'signed in' : 'signed out';
}

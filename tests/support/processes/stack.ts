/** The built site together with a local cloud, all on free ports. */

import { setTimeout as wait } from 'node:timers/promises';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import type { ClientKind } from '../../../local-cloud/user-pool/user-pool.ts';
import { registerSecret } from '../secrets/secret-detection.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { startRedis } from './redis.ts';
import { freePort, type Site, startSite } from './site.ts';
import { defaultTopology, MACHINE_COUNT, type Topology } from './topology.ts';

export type Stack = {
  /** What visitors find: one process, or a balancer in front of several. */
  site: Site;
  /** The processes behind it. */
  machines: readonly Site[];
  /** How many of them know nothing of what the others do. */
  independentProcesses: number;
  cloud: LocalCloud;
  stop(): Promise<void>;
};

type StackOptions = {
  client?: ClientKind;
  /** Added to what the cloud tells the site. */
  environment?: Record<string, string>;
  /** What the test runner says, if it is left out. */
  topology?: Topology;
};

/** Starts all of them. */
export async function startStack({
  topology = defaultTopology,
  ...options
}: StackOptions = {}): Promise<Stack> {
  if (topology === 'one machine') return startOne(options);
  return startSeveral(options, topology === 'four machines, one store');
}

async function startOne({ client = 'rotating', environment = {} }: StackOptions): Promise<Stack> {
  const port = await freePort();
  const cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret: registerSecret,
  });
  const site = await startSite(port, { ...cloud.environment({ client }), ...environment });
  const stop = async () => {
    assertCleanExit(site, await site.stop());
    await cloud.close();
  };
  return { site, machines: [site], independentProcesses: 1, cloud, stop };
}

async function startSeveral(
  { client = 'rotating', environment = {} }: StackOptions,
  isSharing: boolean,
): Promise<Stack> {
  const cloud = await startLocalCloud({ onSecret: registerSecret });
  const redis = isSharing ? await startRedis() : null;
  const shared = redis ? { REDIS_URL: redis.url } : {};
  const fleet = await startFleet(cloud, {
    size: MACHINE_COUNT,
    environment: () => ({ ...shared, ...environment }),
    client,
  });
  if (redis) await waitForSharedStore(fleet);
  const stop = async () => {
    assertCleanExit(fleet, await fleet.stop());
    await redis?.kill();
    await cloud.close();
  };
  return { site: fleet, machines: fleet.sites, independentProcesses: redis ? 1 : MACHINE_COUNT, cloud, stop };
}

async function waitForSharedStore({ sites }: Fleet): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!sites.every((site) => site.output().includes('shared store connected'))) {
    if (Date.now() > deadline) throw new Error('The machines do not find their store');
    await wait(20);
  }
}

function assertCleanExit(site: Site, code: number | null): void {
  if (code !== 0) throw new Error(`The site ended with ${code}:\n${site.output()}`);
}

/** The newest code that was mailed to an address. */
export function mailedCode(cloud: LocalCloud, address: string): string {
  const mail = cloud.emails.find(({ to, code }) => to === address && code);
  if (!mail?.code) throw new Error(`No code was mailed to ${address}`);
  return mail.code;
}

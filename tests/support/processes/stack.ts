/** The built site together with a local cloud, all on free ports. */
import type { LocalCloud } from '@tenfold/local-cloud';
import { startLocalCloud } from '../local-cloud.ts';
import { registerSecret } from '../secrets/secret-detection.ts';
import { waitUntil } from '../timing/wait-until.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { startRedis } from './redis.ts';
import { freePort, REMIX_SERVE, SITE_SERVER, type Site, startSite } from './site.ts';
import { defaultTopology, MACHINE_COUNT, type Topology } from './topology.ts';

export type Stack = {
  /** The site at its public origin: one process, or a load balancer with several behind it. */
  site: Site;
  /** The processes of the site. */
  machines: readonly Site[];
  cloud: LocalCloud;
  stop(): Promise<void>;
};

type StackOptions = {
  /** Added to the environment that the local cloud defines for the site. */
  environment?: Record<string, string>;
  /** The folder of the build, for one machine. */
  directory?: string | undefined;
  /** Defaults to the topology of the Vitest project. */
  topology?: Topology;
};

/** Starts the site and its local cloud. `stop` rejects when the site does not exit with 0. */
export async function startStack({
  topology = defaultTopology,
  ...options
}: StackOptions = {}): Promise<Stack> {
  if (topology === 'one machine' || topology === 'remix-serve') return startOne(options, topology);
  return startSeveral(options, topology === 'four machines, one store');
}

async function startOne(
  { environment = {}, directory }: StackOptions,
  topology: 'one machine' | 'remix-serve',
): Promise<Stack> {
  const isRemixServe = topology === 'remix-serve';
  const port = await freePort();
  const cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret: registerSecret,
  });
  const allVariables = { ...cloud.environment(), ...environment };
  const site = await startSite(port, allVariables, directory, isRemixServe ? REMIX_SERVE : SITE_SERVER);
  const stop = async () => {
    // remix-serve waits for open connections after a SIGTERM.
    if (isRemixServe) await site.stop('SIGKILL');
    else assertCleanExit(site, await site.stop());
    await cloud.close();
  };
  return { site, machines: [site], cloud, stop };
}

async function startSeveral({ environment = {} }: StackOptions, usesSharedStore: boolean): Promise<Stack> {
  const cloud = await startLocalCloud({ onSecret: registerSecret });
  const redis = usesSharedStore ? await startRedis() : null;
  const shared = redis ? { REDIS_URL: redis.url } : {};
  const fleet = await startFleet(cloud, {
    size: MACHINE_COUNT,
    environment: () => ({ ...shared, ...environment }),
  });
  if (redis) await waitForSharedStore(fleet);
  const stop = async () => {
    assertCleanExit(fleet, await fleet.stop());
    await redis?.kill();
    await cloud.close();
  };
  return { site: fleet, machines: fleet.sites, cloud, stop };
}

async function waitForSharedStore({ sites }: Fleet): Promise<void> {
  await waitUntil(() => sites.every((site) => site.output().includes('shared store connected')), {
    message: () => 'The machines did not connect to the shared store',
    intervalMs: 20,
  });
}

function assertCleanExit(site: Site, code: number | null): void {
  if (code !== 0) throw new Error(`The site exited with ${code}:\n${site.output()}`);
}

/** The built site together with a local cloud, all on free ports. */
import { type LocalCloud, startLocalCloud } from '../../../packages/local-cloud/start.ts';
import type { ClientKind } from '../../../packages/local-cloud/user-pool/user-pool.ts';
import { registerSecret } from '../secrets/secret-detection.ts';
import { waitUntil } from '../timing/wait-until.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { startRedis } from './redis.ts';
import { freePort, REMIX_SERVE, type Site, startSite } from './site.ts';
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
  client?: ClientKind;
  /** Added to the environment that the local cloud defines for the site. */
  environment?: Record<string, string>;
  /** The folder of the build, for one machine. */
  directory?: string;
  /** Defaults to the topology of the Vitest project. */
  topology?: Topology;
};

/** Starts the site and its local cloud. `stop` rejects when the site does not exit with 0. */
export async function startStack({
  topology = defaultTopology,
  ...options
}: StackOptions = {}): Promise<Stack> {
  if (topology === 'one machine') return startOne(options);
  if (topology === 'remix-serve') return startUnderRemixServe(options);
  return startSeveral(options, topology === 'four machines, one store');
}

async function startOne({
  client = 'rotating',
  environment = {},
  directory = '.',
}: StackOptions): Promise<Stack> {
  const port = await freePort();
  const cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret: registerSecret,
  });
  const site = await startSite(port, { ...cloud.environment({ client }), ...environment }, directory);
  const stop = async () => {
    assertCleanExit(site, await site.stop());
    await cloud.close();
  };
  return { site, machines: [site], cloud, stop };
}

async function startUnderRemixServe({ client = 'rotating', environment = {} }: StackOptions): Promise<Stack> {
  const port = await freePort();
  const cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret: registerSecret,
  });
  const site = await startSite(port, { ...cloud.environment({ client }), ...environment }, '.', REMIX_SERVE);
  const stop = async () => {
    // remix-serve waits for open connections after a SIGTERM.
    await site.stop('SIGKILL');
    await cloud.close();
  };
  return { site, machines: [site], cloud, stop };
}

async function startSeveral(
  { client = 'rotating', environment = {} }: StackOptions,
  usesSharedStore: boolean,
): Promise<Stack> {
  const cloud = await startLocalCloud({ onSecret: registerSecret });
  const redis = usesSharedStore ? await startRedis() : null;
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

/** Several processes of the built site behind a load balancer. */
import type { LocalCloud } from '@tenfold/local-cloud';
import { listenOnLoopback } from '../http/loopback-server.ts';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { createLoadBalancer } from './load-balancer.ts';
import { freePort, type Site, startSite } from './site.ts';

/** The processes seen as one site at the load balancer's origin. `stop` returns the first exit code other than 0. */
export type Fleet = Site & { sites: readonly Site[] };

type FleetOptions = {
  size: number;
  /** Added to the environment of the machine with this index. */
  environment: (index: number) => Record<string, string>;
};

/** Starts `size` processes. They share only what their environments name. */
export async function startFleet(cloud: LocalCloud, { size, environment }: FleetOptions): Promise<Fleet> {
  const ports: number[] = [];
  const balancer = createLoadBalancer(ports);
  const { port: balancerPort } = new URL(await listenOnLoopback(balancer));
  const origin = `http://localhost:${balancerPort}`;
  checkResponsesOf(origin);
  const shared = {
    ...cloud.environment({ appOrigin: origin }),
    APP_ORIGIN: origin,
    TRUSTED_PROXIES: '1',
  };
  const starts = Array.from({ length: size }, async (_, index) => {
    const port = await freePort();
    const site = await startSite(port, { ...shared, ...environment(index) });
    ports[index] = port;
    return site;
  });
  const sites = await Promise.all(starts).catch(async (error: unknown) => {
    for (const start of await Promise.allSettled(starts)) {
      if (start.status === 'fulfilled') await start.value.stop();
    }
    balancer.close();
    throw error;
  });
  return {
    origin,
    sites,
    output: () => sites.map((site) => site.output()).join(''),
    isRunning: () => sites.every((site) => site.isRunning()),
    pids: sites.flatMap((site) => site.pids),
    signal(name) {
      for (const site of sites) site.signal(name);
    },
    async stop(signal) {
      const codes = await Promise.all(sites.map((site) => site.stop(signal)));
      balancer.closeAllConnections();
      balancer.close();
      return codes.find((code) => code !== 0) ?? 0;
    },
  };
}

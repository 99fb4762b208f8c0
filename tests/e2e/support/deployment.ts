/** Builds of the site that run side by side behind a load balancer, which sends all requests to one of them. */

import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { createLoadBalancer } from '../../support/processes/load-balancer.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';

export type Deployment = {
  origin: string;
  /** Starts the build in `directory`, which archives its assets in `archive`. Returns the function that deploys it. */
  add(directory: string, archive: string): Promise<() => void>;
  /** Stops everything. Rejects when a site does not exit with 0. */
  stop(): Promise<void>;
};

export async function startDeployment(): Promise<Deployment> {
  const ports: number[] = [];
  const balancer = createLoadBalancer(ports);
  const { port: balancerPort } = new URL(await listenOnLoopback(balancer));
  const origin = `http://localhost:${balancerPort}`;
  const cloud = await startLocalCloud({ siteOrigins: [origin], onSecret: registerSecret });
  const environment = {
    ...cloud.environment({ client: 'rotating', appOrigin: origin }),
    APP_ORIGIN: origin,
    TRUSTED_PROXIES: '1',
  };
  const sites: Site[] = [];
  return {
    origin,
    async add(directory, archive) {
      const port = await freePort();
      sites.push(await startSite(port, { ...environment, BUILDS_DIRECTORY: archive }, directory));
      return () => {
        ports[0] = port;
      };
    },
    async stop() {
      const codes = await Promise.all(sites.map((site) => site.stop()));
      await closeServer(balancer);
      await cloud.close();
      if (codes.some((code) => code !== 0)) throw new Error(`The sites exited with ${codes.join(', ')}`);
    },
  };
}

/** Makes every access to storage throw, as browsers do when visitors block it. */
export function blockStorage(): void {
  for (const name of ['sessionStorage', 'localStorage']) {
    Object.defineProperty(window, name, {
      configurable: true,
      get() {
        throw new DOMException('Access is denied', 'SecurityError');
      },
    });
  }
}

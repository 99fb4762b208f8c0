/** Continuous load over keep-alive connections. */
import { Agent } from 'node:http';
import { createSiteVisitor } from '../sign-in/site-visitor.ts';
import { examplePath } from '../this-site.ts';
import { waitUntil } from '../timing/wait-until.ts';

/**
 * Environment of a site that still accepts connections for long after `waitUntilNotReady`, so that what follows happens
 * in time also on a busy machine.
 */
export const LONG_NOTICE = { DRAIN_SECONDS: '10' };

export type KeepAliveLoad = {
  /** The status of every response so far, or the error message of a request that failed. */
  statuses: (number | string)[];
  /** Resolves when every client has received its last response. */
  stop(): Promise<void>;
};

/** Starts twenty clients that request a page and a small file in turn until they are stopped. */
export function startKeepAliveLoad(
  origin: string,
  agent = new Agent({ keepAlive: true, maxSockets: 20 }),
): KeepAliveLoad {
  const statuses: (number | string)[] = [];
  let isStopped = false;
  const client = async () => {
    const visitor = createSiteVisitor(origin, agent);
    while (!isStopped) {
      const path = statuses.length % 3 === 0 ? examplePath() : '/robots.txt';
      const status = await visitor.request(path).then(
        (response) => response.status,
        (error: Error) => error.message,
      );
      statuses.push(status);
    }
  };
  const clients = Array.from({ length: 20 }, client);
  return {
    statuses,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** Resolves when `count` more responses have arrived. */
export async function waitForResponses(statuses: KeepAliveLoad['statuses'], count: number): Promise<void> {
  const wanted = statuses.length + count;
  const message = () => `The load got ${statuses.length} instead of ${wanted} responses`;
  await waitUntil(() => statuses.length >= wanted, { message, intervalMs: 10 });
}

/** Polls `/readyz` as a load balancer does, and resolves when it first reports that the site drains. */
export async function waitUntilNotReady(origin: string): Promise<void> {
  const visitor = createSiteVisitor(origin, new Agent());
  await waitUntil(async () => (await visitor.request('/readyz')).status !== 200, {
    message: () => 'The site stays ready',
    intervalMs: 10,
  });
}

/** Clients that keep asking over connections that are kept, until they are told to stop. */
import { Agent } from 'node:http';
import { createSiteVisitor } from '../sign-in/site-visitor.ts';

export type KeepAliveLoad = {
  /** The status of every answer so far; for a request without one, what it failed with. */
  statuses: (number | string)[];
  /** Resolves when every client has its last answer. */
  stop(): Promise<void>;
};

/** Twenty clients that ask the site for a page and for small files in turn. */
export function startKeepAliveLoad(origin: string): KeepAliveLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const statuses: (number | string)[] = [];
  let isStopped = false;
  const client = async () => {
    const visitor = createSiteVisitor(origin, agent);
    while (!isStopped) {
      const path = statuses.length % 3 === 0 ? '/typography-demo' : '/robots.txt';
      const status = await visitor.request(path).then(
        (answer) => answer.status,
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

/**
 * Resolves half a second after `/readyz` first says that the site takes no more requests, as a balancer would see it
 * that looks four times a second.
 */
export async function waitUntilNotReady(origin: string): Promise<void> {
  const visitor = createSiteVisitor(origin, new Agent());
  while ((await visitor.request('/readyz')).status === 200) await pause(250);
  await pause(500);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

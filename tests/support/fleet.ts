/** Several processes of the built site behind a balancer that gives each request to the next one. */

import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { freePort, type Site, startSite } from './site.ts';

export type Fleet = {
  /** Where visitors find the site: the balancer's address. */
  origin: string;
  sites: readonly Site[];
  stop(): Promise<void>;
};

/** Asks the balancer for one process in particular, by its index. */
export const toMachine = (index: number) => ({ 'x-machine': String(index) });

/** Starts `size` processes that know each other through nothing but what `environment` gives each of them. */
export async function startFleet(
  cloud: LocalCloud,
  {
    size,
    environment,
    directory,
  }: { size: number; environment: (index: number) => Record<string, string>; directory?: string },
): Promise<Fleet> {
  const ports: number[] = [];
  const balancer = createServer(balance(ports)).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const address = balancer.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const origin = `http://localhost:${address.port}`;
  const shared = { ...cloud.environment({ appOrigin: origin }), APP_ORIGIN: origin, TRUSTED_PROXIES: '1' };
  const sites = await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const port = await freePort();
      const site = await startSite(port, { ...shared, ...environment(index) }, directory);
      ports[index] = port;
      return site;
    }),
  );
  return {
    origin,
    sites,
    async stop() {
      balancer.closeAllConnections();
      balancer.close();
      await Promise.all(sites.map((site) => site.stop()));
    },
  };
}

function balance(ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const chosen = incoming.headers['x-machine'];
    const port = ports[Number(chosen ?? turn++) % ports.length];
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const { url: path = '/', method = 'GET' } = incoming;
    const passedOn = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passedOn.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passedOn);
  };
}

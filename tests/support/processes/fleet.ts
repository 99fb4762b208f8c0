/** Several processes of the built site behind a balancer that gives each request to the next one. */

import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import type { ClientKind } from '../../../local-cloud/user-pool/user-pool.ts';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { freePort, type Site, startSite } from './site.ts';

/** To visitors one site, at the balancer's address; `stop` gives the first exit code that is not 0. */
export type Fleet = Site & { sites: readonly Site[] };

/** Asks the balancer for one process in particular, by its index. */
export const machineHeader = (index: number) => ({ 'x-machine': String(index) });

/** Starts `size` processes that know each other through nothing but what `environment` gives each of them. */
export async function startFleet(
  cloud: LocalCloud,
  {
    size,
    environment,
    directory,
    client = 'rotating',
  }: {
    size: number;
    environment: (index: number) => Record<string, string>;
    directory?: string;
    client?: ClientKind;
  },
): Promise<Fleet> {
  const ports: number[] = [];
  const balancer = createBalancer(ports).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const address = balancer.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const origin = `http://localhost:${address.port}`;
  checkResponsesOf(origin);
  const shared = {
    ...cloud.environment({ client, appOrigin: origin }),
    APP_ORIGIN: origin,
    TRUSTED_PROXIES: '1',
  };
  const starts = Array.from({ length: size }, async (_, index) => {
    const port = await freePort();
    const site = await startSite(port, { ...shared, ...environment(index) }, directory);
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

/** Longer heads than the site takes, so that the site refuses them. */
const MAX_HEAD = 64 * 1024;

/** Connections are kept for longer than the site says, whose `Keep-Alive` visitors go by. */
const KEEP_ALIVE_MS = 120_000;

function createBalancer(ports: readonly number[]): Server {
  const pass = balance(ports);
  return createServer({ maxHeaderSize: MAX_HEAD, keepAliveTimeout: KEEP_ALIVE_MS }, pass).on(
    'checkExpectation',
    pass,
  );
}

function balance(ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const chosen = incoming.headers['x-machine'];
    const port = ports[Number(chosen ?? turn++) % ports.length];
    const from = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean);
    const headers = { ...incoming.headers, 'x-forwarded-for': from.join(', ') };
    const { url: path = '/', method = 'GET' } = incoming;
    const passedOn = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('end', () => {
        // Refused by its head: what is still to come of the body is for nobody.
        if (passedOn.writableFinished) return;
        incoming.unpipe(passedOn).resume();
        passedOn.destroy();
      });
    });
    passedOn.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502).end();
      else if (!outgoing.writableEnded) outgoing.destroy();
    });
    // Who has left is not waited for.
    outgoing.on('close', () => outgoing.writableFinished || passedOn.destroy());
    // A head may say enough for an answer: it does not wait for the body.
    passedOn.flushHeaders();
    incoming.pipe(passedOn);
  };
}

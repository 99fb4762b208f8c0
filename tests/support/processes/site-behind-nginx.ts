/** The built site behind a real nginx, over TLS. */
import { Agent, type AgentOptions } from 'node:https';
import { connect, createServer } from 'node:net';
import { listenOnLoopback } from '../http/loopback-server.ts';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { freePort, type Site, startSite } from './site.ts';

export type SiteBehindNginx = {
  /** The public origin, with https. */
  origin: string;
  /** The process of the site, on a port of 127.0.0.1 that only nginx uses. */
  site: Site;
  sitePort: number;
  /** The port at which nginx listens for plain HTTP. */
  httpPort: number;
  nginx: Nginx;
  /** Returns an agent with keep-alive connections to nginx that trusts its certificate. */
  connect(options?: AgentOptions): Agent;
  /** How many connections nginx has opened to the site. */
  connections(): number;
  stop(): Promise<void>;
};

/** Starts both. `environmentFor` returns what the site needs besides the variables of the systemd unit. */
export async function startSiteBehindNginx(
  environmentFor: (origin: string) => Record<string, string>,
): Promise<SiteBehindNginx> {
  const [sitePort, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort()];
  const origin = `https://localhost:${httpsPort}`;
  checkResponsesOf(origin);
  const site = await startSite(sitePort, {
    ...environmentFor(origin),
    APP_ORIGIN: origin,
    LISTEN_HOST: '127.0.0.1',
    TRUSTED_PROXIES: '1',
  });
  const counter = await startConnectionCounter(sitePort);
  const nginx = await startNginx({ site: counter.port, http: httpPort, https: httpsPort });
  return {
    ...{ origin, site, sitePort, httpPort, nginx },
    connect: (options) => new Agent({ keepAlive: true, ca: nginx.certificate, ...options }),
    connections: counter.connections,
    async stop() {
      await nginx.stop();
      await site.stop();
      counter.close();
    },
  };
}

/** A TCP server that passes connections on to a port and counts them. */
async function startConnectionCounter(port: number) {
  let count = 0;
  const server = createServer((incoming) => {
    count += 1;
    const outgoing = connect(port, '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
  });
  const { port: ownPort } = new URL(await listenOnLoopback(server));
  return { port: Number(ownPort), connections: () => count, close: () => void server.close() };
}

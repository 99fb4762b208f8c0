/** A proxy for outgoing requests, with tunnels (RFC 9110 section 9.3.6). */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback-server.ts';

export type ForwardProxy = {
  url: string;
  /** The hosts and ports of the tunnels that clients have asked for. */
  targets: string[];
};

/**
 * Starts a proxy on a free port of 127.0.0.1. It knows the names in `hosts`, whose values are origins, and rejects all
 * others. It is closed when the test has finished.
 */
export async function startForwardProxy(hosts: Record<string, string>): Promise<ForwardProxy> {
  const targets: string[] = [];
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', ({ url = '' }, client, head) => {
    targets.push(url);
    client.on('error', () => {});
    const origin = hosts[url];
    if (origin === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const { hostname, port } = new URL(origin);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  const url = await listenOnLoopback(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, targets };
}

/** The private door to the metrics: a port of its own, which no proxy in front of the site knows. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/**
 * Answers `GET /metrics` at `host` and `port` in Prometheus's text format, and 404 to everything else. Rejects when
 * the port is taken. Keeps no process alive.
 */
export async function listenForMetrics(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
  });
  server.listen(port, host).unref();
  await once(server, 'listening');
  return server;
}

/** Serves the metrics on a port of their own, which is not public. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { createMetrics, type Metrics } from './metrics.ts';

/** Creates the metrics of this process and serves them at `address`. */
export async function startMetrics(address: { host: string; port: number }): Promise<Metrics> {
  const { metrics, registry } = await createMetrics();
  await listenForMetrics(registry, address);
  return metrics;
}

/**
 * Serves `GET /metrics` at `host` and `port` in Prometheus's text format, and 404 for all other requests. Rejects when
 * the port is in use. The server does not keep the process running.
 */
async function listenForMetrics(
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

/** A server with nothing but the given steps of the pipeline and the site's own way of sending responses. */
import { createServer } from 'node:http';
import { EventStreams } from '../../../app/server/http/event-streams.ts';
import { Exchange, type Step } from '../../../app/server/http/exchange.ts';
import { ResponseHeads } from '../../../app/server/http/response-head.ts';
import { createSend } from '../../../app/server/http/send.ts';
import { createLog } from '../../../app/server/observability/log.ts';
import { noMetrics } from '../../../app/server/observability/metrics.ts';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export type StepServer = {
  origin: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The log lines so far. */
  lines(): Record<string, unknown>[];
  eventStreams: EventStreams;
  close(): void;
};

/** Starts the server. A request that no step handles gets status 404 and the text `no step`. */
export async function serveSteps<Context>(
  createSteps: (origin: string, heads: ResponseHeads) => Step<Context>[],
  context?: Context,
): Promise<StepServer> {
  const server = createServer();
  const origin = await listenOnLoopback(server);
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const env = { appOrigin: origin, userPool: { domain: 'https://login.example' }, sharedCache: false };
  const heads = new ResponseHeads(env, () => false);
  const eventStreams = new EventStreams();
  const send = createSend({ heads, log, metrics: noMetrics, eventStreams });
  const steps = createSteps(origin, heads);
  server.on('request', async (request, response) => {
    const exchange = new Exchange<Context>(request, response, async () => {
      if (!context) throw new Error('These steps were given no context');
      return context;
    });
    for (const step of steps) {
      const stepResponse = await step(exchange);
      if (stepResponse) return send(exchange, stepResponse);
    }
    await send(exchange, { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no step' });
  });
  return {
    origin,
    get: (path, init) => fetch(origin + path, init),
    lines: () => lines.map((line) => JSON.parse(line)),
    eventStreams,
    close: () => void closeServer(server),
  };
}

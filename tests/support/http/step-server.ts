/** A server with nothing but the given steps of the pipeline and the site's own way of sending responses. */
import { createServer } from 'node:http';
import { noMetrics } from '../../../app/server/metrics/metrics.ts';
import { EventStreams } from '../../../packages/site-server/src/event-streams.ts';
import { Exchange, type Step } from '../../../packages/site-server/src/exchange.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import { createHeads } from '../../../packages/site-server/src/response-head.ts';
import { createSend } from '../../../packages/site-server/src/send.ts';
import { closeServer, listenOnLoopback } from './loopback-server.ts';
import { rulesAt } from './server-rules.ts';

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
  createSteps: (origin: string) => Step<Context>[],
  context?: Context,
): Promise<StepServer> {
  const server = createServer();
  const origin = await listenOnLoopback(server);
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const rules = rulesAt(origin);
  const eventStreams = new EventStreams();
  const send = createSend({ rules, completeHead: createHeads(rules), log, metrics: noMetrics, eventStreams });
  const steps = createSteps(origin);
  server.on('request', async (request, response) => {
    const openContext = async () => {
      if (!context) throw new Error('These steps were given no context');
      return context;
    };
    const exchange = new Exchange<Context>(request, response, openContext, rules.createCookies());
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

/** Runs the steps of a site for each request, and sends the response. */
import type { RequestHandler } from './connection.ts';
import { CLIENT_CLOSED_REQUEST, Exchange, type SiteResponse, type Step } from './exchange.ts';
import type { Lifecycle } from './graceful-shutdown.ts';
import type { Log } from './log/log.ts';
import { retryAfter } from './rejection.ts';
import { createHeads } from './response-head.ts';
import type { Reject, ServerMetrics, ServerRules } from './rules.ts';
import { cancelBody, createSend } from './send.ts';

/** Recorded when the client disconnects; it is never sent. */
const DISCONNECTED: SiteResponse = { status: CLIENT_CLOSED_REQUEST, headers: {} };

/** How soon a request that took too long may be sent again, in milliseconds. */
const RETRY_AFTER_MS = 1000;

export type RequestHandlerOptions<Context> = {
  rules: ServerRules;
  /** The first response ends the request. The last step must respond to every request. */
  steps: readonly Step<Context>[];
  /** Opens what the steps share for a request, at the first call of `exchange.context()`. */
  openContext: (exchange: Exchange) => Promise<Context>;
  reject: Reject;
  lifecycle: Lifecycle;
  log: Log;
  metrics: ServerMetrics;
};

/** Creates the handler for the requests of a server. An error of a step is logged, and gets 500. */
export function createRequestHandler<Context>(options: RequestHandlerOptions<Context>): RequestHandler {
  const { rules, steps, openContext, reject, lifecycle, log, metrics } = options;
  const completeHead = createHeads(rules, lifecycle.isDraining);
  const send = createSend({ ...{ rules, completeHead, log, metrics }, eventStreams: lifecycle.eventStreams });

  const runSteps = async (exchange: Exchange<Context>): Promise<void> => {
    for (const step of steps) {
      const result = step(exchange);
      const response = result instanceof Promise ? await result : result;
      if (exchange.isAbandoned) return response ? cancelBody(response) : undefined;
      if (response) return send(exchange, response);
    }
  };

  const respond = async (exchange: Exchange<Context>): Promise<void> => {
    const { request, response } = exchange;
    try {
      await runSteps(exchange);
    } catch (err) {
      if (exchange.isAbandoned) return;
      if (response.destroyed || request.socket.destroyed) return send(exchange, DISCONNECTED);
      log.error({ err, requestId: exchange.requestId }, 'request failed');
      if (response.headersSent) response.destroy();
      else await send(exchange, reject(exchange, { status: 500, code: 'InternalError' }));
    }
  };

  /** Responds in place of the steps, which have taken too long. A response that has begun cannot be replaced. */
  const giveUp = (exchange: Exchange): void => {
    if (exchange.response.headersSent) return void exchange.response.destroy();
    exchange.abandon();
    const headers = retryAfter(RETRY_AFTER_MS);
    const rejection = { status: 503, code: 'ResponseTimeout', headers };
    // It fails if the response of the steps was already being compressed, and is sent after all.
    send(exchange, reject(exchange, rejection)).catch(() => {});
  };

  return (request, response) => {
    const exchange = new Exchange(request, response, openContext, rules.createCookies());
    void respond(exchange);
    return () => giveUp(exchange);
  };
}

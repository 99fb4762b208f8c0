/** The site as a request handler: runs the steps for each request and sends the response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppLoadContext } from '@remix-run/node';
import { rejectRequest } from './http/error-response.ts';
import { CLIENT_CLOSED_REQUEST, Exchange, type SiteResponse } from './http/exchange.ts';
import { retryAfter } from './http/rejection.ts';
import { ResponseHeads } from './http/response-head.ts';
import { cancelBody, createSend } from './http/send.ts';
import { sessionHash } from './observability/session-hash.ts';
import { openRequestContext, type Services } from './request-context.ts';
import { createRequestSteps } from './request-steps.ts';
import { createStepParts, type SiteOptions } from './step-parts.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Recorded when the client disconnects; it is never sent. */
const DISCONNECTED: SiteResponse = { status: CLIENT_CLOSED_REQUEST, headers: {} };

/** How soon a request that took too long may be sent again, in milliseconds. */
const RETRY_AFTER_MS = 1000;

/** Creates the handler for the `request` events of a server. It never rejects. */
export function createSite(services: Services, options: SiteOptions): RequestHandler {
  const { env, log } = services;
  const heads = new ResponseHeads(env, options.shutdown.isDraining);
  const steps = createRequestSteps(createStepParts(services, heads, options));
  const send = createSend({ ...services, heads, eventStreams: options.eventStreams });

  const openContext = async (exchange: Exchange): Promise<AppLoadContext> => {
    const context = await openRequestContext(services, exchange);
    if (context.session.state === 'signed-in') exchange.sessionHash = sessionHash(context.session.id);
    return context;
  };

  const respond = async (exchange: Exchange<AppLoadContext>): Promise<void> => {
    for (const step of steps) {
      const result = step(exchange);
      const response = result instanceof Promise ? await result : result;
      if (exchange.isAbandoned) return response ? cancelBody(response) : undefined;
      if (response) return send(exchange, response);
    }
  };

  /** Responds in place of the steps, which have taken too long. A response that has begun cannot be replaced. */
  const giveUp = (exchange: Exchange): void => {
    if (exchange.response.headersSent) return void exchange.response.destroy();
    exchange.abandon();
    const headers = retryAfter(RETRY_AFTER_MS);
    const rejection = { status: 503, code: 'ResponseTimeout', headers };
    // It fails if the response of the steps was already being compressed, and is sent after all.
    send(exchange, rejectRequest(services, exchange, rejection)).catch(() => {});
  };

  return async (request, response) => {
    const exchange = new Exchange(request, response, openContext);
    response.once('timeout', () => giveUp(exchange));
    try {
      await respond(exchange);
    } catch (err) {
      if (exchange.isAbandoned) return;
      if (response.destroyed || request.socket.destroyed) return send(exchange, DISCONNECTED);
      log.error({ err, requestId: exchange.requestId }, 'request failed');
      if (response.headersSent) response.destroy();
      else await send(exchange, rejectRequest(services, exchange, { status: 500, code: 'InternalError' }));
    }
  };
}

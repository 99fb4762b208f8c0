/** The site as a request handler: its steps, and what they share for a request. */
import type { AppLoadContext } from '@remix-run/node';
import { sessionHash } from '@tenfold/cognito-session';
import { addressBlock, createRequestHandler, type Exchange, type RequestHandler } from '@tenfold/site-server';
import { openRequestContext, type Services } from './request-context.ts';
import { createRequestSteps } from './request-steps.ts';
import { createStepParts, type SiteOptions } from './step-parts.ts';

/** Creates the handler for the requests of a server. */
export function createSite(services: Services, options: SiteOptions): RequestHandler {
  const parts = createStepParts(services, options);

  const openContext = async (exchange: Exchange): Promise<AppLoadContext> => {
    const caller = () => addressBlock(parts.addressOf(exchange.request));
    const context = await openRequestContext(services, exchange, caller);
    if (context.session.state === 'signed-in') exchange.sessionHash = sessionHash(context.session.id);
    return context;
  };

  return createRequestHandler({ ...parts, steps: createRequestSteps(parts), openContext });
}

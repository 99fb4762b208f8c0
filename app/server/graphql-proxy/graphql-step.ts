/**
 * The GraphQL proxy as a step of the pipeline. It responds before Remix, whose work would cost several times the call.
 */
import type { Exchange, Step } from '../http/exchange.ts';
import { GRAPHQL_ROUTE, internalError, type ProxyContext, proxyOperation } from './graphql-proxy.ts';

/** A step for every request of the route `api/graphql`. Unexpected errors keep GraphQL's response format. */
export function createGraphqlStep(): Step<ProxyContext> {
  const respond = async (exchange: Exchange<ProxyContext>) => {
    const context = await exchange.context();
    try {
      return await proxyOperation(exchange, context);
    } catch (err) {
      context.log.error({ err, requestId: context.requestId }, 'request failed');
      return internalError(context);
    }
  };
  return (exchange) => (exchange.routeId === GRAPHQL_ROUTE ? respond(exchange) : null);
}

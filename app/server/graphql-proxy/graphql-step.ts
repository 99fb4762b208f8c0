/** The GraphQL proxy as a step before Remix, which would take several times the CPU time of the call. */
import type { Step } from '../http/exchange.ts';
import { readBody } from '../http/request-body.ts';
import { GRAPHQL_ROUTE, internalError, type ProxyContext, proxyOperation } from './graphql-proxy.ts';

/** A step for every request of the route `api/graphql`. Unexpected errors keep GraphQL's response format. */
export function createGraphqlStep(): Step<ProxyContext> {
  return async (exchange) => {
    if (exchange.routeId !== GRAPHQL_ROUTE) return null;
    const context = await exchange.context();
    const { method, headers, request, signal } = exchange;
    const proxied = { method, headers, signal, readBody: (maxBytes: number) => readBody(request, maxBytes) };
    try {
      return await proxyOperation(proxied, context);
    } catch (err) {
      context.log.error({ err, requestId: context.requestId }, 'request failed');
      return internalError(context);
    }
  };
}

import { type ProxyContext, proxyOperation } from '../server/graphql-proxy/graphql-proxy.ts';

type Args = { request: Request; context: ProxyContext };

/** The GraphQL proxy. */
export function action({ request, context }: Args): Promise<Response> {
  return proxyOperation(request, context);
}

/** Responds to GET with 405. */
export const loader = action;

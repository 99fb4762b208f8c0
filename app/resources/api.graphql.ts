import { type ProxyContext, proxyOperation } from '../server/graphql-proxy/graphql-proxy.ts';
import { readBody } from '../server/http/request-body.ts';

type Args = { request: Request; context: ProxyContext };

/**
 * One GraphQL operation of a signed-in visitor: the route for any Remix server. This site's own answers most calls
 * before they reach a router: see `graphql-endpoint.server.ts`.
 */
export async function action({ request, context }: Args): Promise<Response> {
  const { method, headers, signal } = request;
  const answer = await proxyOperation(
    {
      method,
      signal,
      header: (name) => headers.get(name),
      body: (maxBytes) => readBody(request, maxBytes),
    },
    context,
    context,
  );
  return new Response(answer.body, answer);
}

/** Operations are only ever posted: a GET could be embedded, cached and remembered. It is refused as what it is. */
export const loader = action;

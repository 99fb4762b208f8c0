import { type ProxyContext, proxyOperation } from '../server/graphql-proxy/graphql-proxy.ts';
import { readWebBody } from '../server/http/request-body.ts';

type Args = { request: Request; context: ProxyContext };

/**
 * The GraphQL proxy as a resource route, for any Remix server. Under server.ts a step of the pipeline calls the same
 * proxy before Remix does.
 */
export async function action({ request, context }: Args): Promise<Response> {
  const { method, headers, signal, body } = request;
  const proxied = { method, headers, signal, readBody: (maxBytes: number) => readWebBody(body, maxBytes) };
  const response = await proxyOperation(proxied, context);
  return new Response(response.body, response);
}

/** Responds to GET with 405. */
export const loader = action;

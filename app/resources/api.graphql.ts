import type { LoaderFunctionArgs } from '@remix-run/node';

/** The GraphQL proxy. */
export function action({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { graphqlProxy, session, requestId, signal, sessionMs } = context;
  const caller = session.state === 'signed-in' ? session : null;
  return graphqlProxy(request, { caller, requestId, signal, sessionMs });
}

/** Responds to GET with 405. */
export const loader = action;

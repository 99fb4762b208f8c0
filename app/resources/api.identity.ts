import type { Env } from '../server/config/env.ts';
import type { ResponseCookies } from '../server/cookies/cookie-jar.ts';
import { describeUpstreamFailure } from '../server/http/upstream-failure.ts';
import type { Guests } from '../server/identity/guest-identity.ts';
import type { Identity } from '../server/identity/identity.ts';
import type { Log } from '../server/observability/log.ts';
import { UpstreamError } from '../server/resilience/upstream-error.ts';
import type { Session } from '../server/session/session.ts';

/** What the route needs of a request's context. */
export type IdentityContext = {
  env: Pick<Env, 'identityPool'>;
  log: Log;
  requestId: string;
  cookies: ResponseCookies;
  session: Session;
  identity: Identity;
  guests: Guests;
};

type Args = { request: Request; context: IdentityContext };

/** `{ identityId, guest }` of the visitor. A guest's identity is made at the first call; credentials stay here. */
export async function loader({ request, context }: Args): Promise<Response> {
  const { log, requestId } = context;
  // Making an identity is an effect, so other sites' pages may not cause it; SameSite keeps the cookie from them too.
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none') {
    return refuse(403, 'ForeignOrigin', 'Only the pages of this site may call it.', context);
  }
  try {
    return await answerIdentity(request, context);
  } catch (err) {
    if (request.signal.aborted) return new Response(null, { status: 499 });
    if (!(err instanceof UpstreamError)) throw err;
    log.warn({ err, requestId }, 'identity not found out');
    const { status, code, message, headers } = describeUpstreamFailure(err);
    return refuse(status, code, message, context, headers);
  }
}

/** There is nothing to post here. */
export function action({ context }: Args): Response {
  return refuse(405, 'MethodNotAllowed', 'The identity is read.', context, { allow: 'GET, HEAD' });
}

async function answerIdentity(request: Request, context: IdentityContext): Promise<Response> {
  const { session, identity, guests, cookies, env } = context;
  if (session.state === 'signed-in') {
    const { identityId } = await identity.credentialsFor(session, request.signal);
    return answer(200, { identityId, guest: false });
  }
  if (!env.identityPool.allowGuests) {
    return refuse(403, 'GuestsNotAllowed', 'User needs to be authenticated to call this API.', context);
  }
  return answer(200, { identityId: await guests.identityOf(request, cookies, request.signal), guest: true });
}

function refuse(
  status: number,
  code: string,
  message: string,
  { requestId }: IdentityContext,
  headers: Record<string, string> = {},
): Response {
  return answer(status, { errors: [{ message, errorType: code }], requestId }, headers);
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      ...headers,
    },
  });
}

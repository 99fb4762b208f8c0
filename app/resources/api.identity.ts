import type { Env } from '../server/config/env.ts';
import type { ResponseCookies } from '../server/cookies/cookie-jar.ts';
import { describeUpstreamFailure, errorResponse } from '../server/http/error-response.ts';
import type { Guests } from '../server/identity/guest-identity.ts';
import type { Identity } from '../server/identity/identity.ts';
import type { Log } from '../server/observability/log.ts';
import { UpstreamError } from '../server/resilience/upstream-error.ts';
import type { Session } from '../server/session/session.ts';

/** What the route needs of the request context. */
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

const CLIENT_CLOSED_REQUEST = 499;

/** Returns `{ identityId, guest }`. A guest's identity is created at the first request. Never returns credentials. */
export async function loader({ request, context }: Args): Promise<Response> {
  const { log, requestId } = context;
  // Creating an identity is an effect that other sites must not cause.
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none') {
    const rejection = {
      status: 403,
      code: 'ForeignOrigin',
      message: 'Only the pages of this site may call it.',
    };
    return errorResponse(rejection, requestId);
  }
  try {
    return await identityOf(request, context);
  } catch (err) {
    if (request.signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    if (!(err instanceof UpstreamError)) throw err;
    log.warn({ err, requestId }, 'identity lookup failed');
    return errorResponse(describeUpstreamFailure(err), requestId);
  }
}

export function action({ context }: Args): Response {
  const headers = { allow: 'GET, HEAD' };
  const rejection = { status: 405, code: 'MethodNotAllowed', message: 'The identity is read.', headers };
  return errorResponse(rejection, context.requestId);
}

async function identityOf(request: Request, context: IdentityContext): Promise<Response> {
  const { session, identity, guests, cookies, env, requestId } = context;
  if (session.state === 'signed-in') {
    const { identityId } = await identity.credentialsFor(session, request.signal);
    return json({ identityId, guest: false });
  }
  if (!env.identityPool.allowGuests) {
    const message = 'User needs to be authenticated to call this API.';
    return errorResponse({ status: 403, code: 'GuestsNotAllowed', message }, requestId);
  }
  return json({ identityId: await guests.identityOf(request, cookies, request.signal), guest: true });
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}

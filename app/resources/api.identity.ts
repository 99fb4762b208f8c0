import { GUESTS_NOT_ALLOWED, type IdentityPool } from '@tenfold/appsync-proxy';
import type { ResponseCookies, Session } from '@tenfold/cognito-session';
import { CLIENT_CLOSED_REQUEST, type Log } from '@tenfold/site-server';
import { describeUpstreamFailure, logUpstreamFailure, UpstreamError } from '@tenfold/upstream';
import type { Env } from '../server/config/env.ts';
import { errorResponse } from '../server/errors/error-response.ts';
import type { Guests } from '../server/identity/guest-identity.ts';

/** The part of the request context that the route uses. */
export type IdentityContext = {
  env: Pick<Env, 'identityPool'>;
  log: Log;
  requestId: string;
  signal: AbortSignal;
  cookies: ResponseCookies;
  session: Session;
  identity: IdentityPool;
  guests: Guests;
};

type Args = { request: Request; context: IdentityContext };

/** Guests are disabled by `COGNITO_ALLOW_GUESTS`, or the identity pool has none. */
const guestsNotAllowed = {
  status: 403,
  code: GUESTS_NOT_ALLOWED,
  message: 'User needs to be authenticated to call this API.',
};

/** Returns `{ identityId, guest }`. A guest's identity is created at the first request. Never returns credentials. */
export async function loader({ request, context }: Args): Promise<Response> {
  const { log, requestId } = context;
  // Creating an identity is an effect that other sites must not cause.
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none') {
    const rejection = {
      status: 403,
      code: 'ForeignOrigin',
      message: 'Only pages of this site may call this API.',
    };
    return errorResponse(rejection, requestId);
  }
  try {
    return await identityOf(request, context);
  } catch (err) {
    if (context.signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    if (!(err instanceof UpstreamError)) throw err;
    logUpstreamFailure(log, err, 'identity lookup failed', { requestId });
    if (err.code === GUESTS_NOT_ALLOWED) return errorResponse(guestsNotAllowed, requestId);
    return errorResponse(describeUpstreamFailure(err), requestId);
  }
}

export function action({ context }: Args): Response {
  const headers = { allow: 'GET, HEAD' };
  const rejection = { status: 405, code: 'MethodNotAllowed', message: 'Use GET.', headers };
  return errorResponse(rejection, context.requestId);
}

async function identityOf(request: Request, context: IdentityContext): Promise<Response> {
  const { session, identity, guests, cookies, env, requestId, signal } = context;
  if (session.state === 'signed-in') {
    const { identityId } = await identity.credentialsFor(session, signal);
    return json({ identityId, guest: false });
  }
  if (!env.identityPool.allowGuests) return errorResponse(guestsNotAllowed, requestId);
  return json({ identityId: await guests.identityOf(request, cookies, signal), guest: true });
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}

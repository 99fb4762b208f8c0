/**
 * The GraphQL proxy: executes one operation of a signed-in visitor at the data API. It is the resource route
 * `api/graphql`, which runs after the request filter and the rate limit.
 */
import type { Env } from '../config/env.ts';
import type { CallTiming } from '../data-api/call-timing.ts';
import type { DataApi } from '../data-api/data-api.ts';
import { describeUpstreamFailure, errorResponse } from '../http/error-response.ts';
import { CLIENT_CLOSED_REQUEST } from '../http/exchange.ts';
import { bodyTooLarge, MAX_BODY_BYTES, type Rejection } from '../http/rejection.ts';
import { isRejected, readWebBody } from '../http/request-body.ts';
import { isSameOrigin } from '../http/request-filter.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import { logUpstreamFailure } from '../resilience/configuration-error.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { Session, SignedIn } from '../session/session.ts';
import { checkOperation } from './operation-check.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The part of the request context that the proxy uses. `sessionMs` is how long opening the session took. */
export type ProxyContext = {
  env: Pick<Env, 'appOrigin' | 'dataApi'>;
  log: Log;
  metrics: Pick<Metrics, 'rejected'>;
  trustedDocuments: TrustedDocuments;
  dataApi: DataApi;
  requestId: string;
  signal: CallSignal;
  session: Session;
  sessionMs: number;
};

/**
 * Returns the response to an operation. Its body is JSON in GraphQL's response format, whatever the status: a failure of
 * the data API and an error of the site are responses too. It is empty when the client has disconnected.
 */
export async function proxyOperation(request: Request, context: ProxyContext): Promise<Response> {
  const { log, requestId, session, signal } = context;
  const rejection = checkRequest(request, context);
  if (rejection) return rejectOperation(rejection, context);
  if (session.state !== 'signed-in') return rejectOperation(signedOut, context);
  try {
    return await forward(request, context, session);
  } catch (err) {
    if (signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    if (err instanceof UpstreamError) {
      logUpstreamFailure(log, err, 'data API call failed', { requestId });
      return failOperation(describeUpstreamFailure(err), context);
    }
    log.error({ err, requestId }, 'request failed');
    return failOperation(internalError, context);
  }
}

const methodNotAllowed: Rejection = {
  status: 405,
  code: 'MethodNotAllowed',
  message: 'Send operations with POST.',
  headers: { allow: 'POST' },
};

const signedOut: Rejection = {
  status: 401,
  code: 'UserUnAuthenticatedException',
  message: 'User needs to be authenticated to call this API.',
};

const internalError: Rejection = {
  status: 500,
  code: 'InternalError',
  message: 'An unknown error has occurred.',
};

/**
 * Returns why a request is rejected, whatever its body is. Remix's own check of the origin skips resource routes, and
 * under another server its whole body may not have arrived.
 */
function checkRequest({ method, headers }: Request, { env }: ProxyContext): Rejection | null {
  if (method !== 'POST') return methodNotAllowed;
  if (!isSameOrigin(headers, env.appOrigin)) {
    return { status: 403, code: 'ForeignOrigin', message: 'Only pages of this site may call this API.' };
  }
  const isJson = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(headers.get('content-type') ?? '');
  if (!isJson || headers.get('content-encoding') !== null) {
    return {
      status: 415,
      code: 'UnsupportedMediaType',
      message: 'The body must be uncompressed application/json.',
    };
  }
  return Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES ? bodyTooLarge(MAX_BODY_BYTES) : null;
}

async function forward(request: Request, context: ProxyContext, session: SignedIn): Promise<Response> {
  const { env, dataApi, trustedDocuments, requestId, sessionMs, signal } = context;
  const text = await readText(request);
  if (typeof text !== 'string') return rejectOperation(text, context);
  const trusted = env.dataApi.operations === 'any' ? null : trustedDocuments;
  const checked = checkOperation(text, { trusted });
  if ('rejection' in checked) return rejectOperation(checked.rejection, context);
  const options = { signal, requestId, sessionMs, isCounted: true };
  const { result, timing } = await dataApi.execute(session, checked.operation, options);
  const { data, errors } = result;
  return new Response(JSON.stringify(errors.length > 0 ? { data, errors } : { data }), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'server-timing': serverTiming(timing),
    },
  });
}

/** Throws for bytes that are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readText({ body }: Request): Promise<string | Rejection> {
  const bytes = await readWebBody(body, MAX_BODY_BYTES);
  if (isRejected(bytes)) return bytes;
  try {
    return utf8.decode(bytes);
  } catch {
    return { status: 400, code: 'MalformedJson', message: 'The body is not UTF-8.' };
  }
}

/**
 * Rejects an operation: counted by its code and logged. Codes of upstream failures are not counted: they are unbounded.
 */
function rejectOperation(rejection: Rejection, context: ProxyContext): Response {
  const { status, code } = rejection;
  context.metrics.rejected(code);
  context.log.info({ requestId: context.requestId, status, code }, 'operation rejected');
  return failOperation(rejection, context);
}

function failOperation(rejection: Rejection, { requestId, sessionMs }: ProxyContext): Response {
  const headers = { ...rejection.headers, 'server-timing': timed('session', sessionMs) };
  return errorResponse({ ...rejection, headers }, requestId);
}

/** The parts of a call in the `Server-Timing` header (W3C Server Timing section 3). */
function serverTiming({ session, identity, sign, upstream, identityCached }: CallTiming): string {
  const cache = identityCached ? 'hit' : 'miss';
  return [
    timed('session', session),
    `${timed('identity', identity)};desc=${cache}`,
    timed('sign', sign),
    timed('upstream', upstream),
  ].join(', ');
}

function timed(name: string, ms: number): string {
  return `${name};dur=${ms.toFixed(1)}`;
}

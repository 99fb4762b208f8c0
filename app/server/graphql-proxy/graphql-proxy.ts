/**
 * The GraphQL proxy: executes one operation of a signed-in visitor at the data API. The pipeline's step and Remix's
 * resource route both call it, after the request filter and the rate limit.
 */
import type { Env } from '../config/env.ts';
import type { CallTiming } from '../data-api/call-timing.ts';
import type { DataApi } from '../data-api/data-api.ts';
import { describeUpstreamFailure } from '../http/error-response.ts';
import { CLIENT_CLOSED_REQUEST, type HeaderReader } from '../http/exchange.ts';
import type { Rejection } from '../http/rejection.ts';
import { bodyTooLarge, isRejected, MAX_BODY_BYTES } from '../http/request-body.ts';
import { isSameOrigin } from '../http/request-filter.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import { logUpstreamFailure } from '../resilience/configuration-error.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { Session, SignedIn } from '../session/session.ts';
import { checkOperation } from './operation-check.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

export const GRAPHQL_ROUTE = 'api/graphql';

/** The part of the request context that the proxy uses. `sessionMs` is how long opening the session took. */
export type ProxyContext = {
  env: Pick<Env, 'appOrigin' | 'dataApi'>;
  log: Log;
  metrics: Pick<Metrics, 'rejected'>;
  trustedDocuments: TrustedDocuments;
  dataApi: DataApi;
  requestId: string;
  session: Session;
  sessionMs: number;
};

export type ProxyRequest = {
  method: string;
  headers: HeaderReader;
  /** Reads the whole body, or returns why it is rejected. */
  readBody(maxBytes: number): Promise<Uint8Array | Rejection>;
  /** Aborts when the client disconnects. */
  signal: CallSignal;
};

/** `body` is JSON in GraphQL's response format, whatever the status; empty when the client has disconnected. */
export type ProxyResponse = { status: number; headers: Record<string, string>; body: string };

/** Returns the response to an operation. Rejects only for a bug of the site; an upstream's failure is a response. */
export async function proxyOperation(request: ProxyRequest, context: ProxyContext): Promise<ProxyResponse> {
  const rejection = checkRequest(request, context);
  if (rejection) return rejectOperation(rejection, context);
  if (context.session.state !== 'signed-in') return rejectOperation(signedOut, context);
  try {
    return await forward(request, context, context.session);
  } catch (err) {
    if (request.signal.aborted) return { status: CLIENT_CLOSED_REQUEST, headers: {}, body: '' };
    if (!(err instanceof UpstreamError)) throw err;
    logUpstreamFailure(context.log, err, 'data API call failed', { requestId: context.requestId });
    return errorResponse(describeUpstreamFailure(err), context);
  }
}

/**
 * Rejects an operation: counted by its code and logged. Codes of upstream failures are not counted: they are unbounded.
 */
export function rejectOperation(rejection: Rejection, context: ProxyContext): ProxyResponse {
  const { status, code } = rejection;
  context.metrics.rejected(code);
  context.log.info({ requestId: context.requestId, status, code }, 'operation rejected');
  return errorResponse(rejection, context);
}

/** The response to an unexpected error of the site. */
export function internalError(context: Pick<ProxyContext, 'requestId' | 'sessionMs'>): ProxyResponse {
  return errorResponse(
    { status: 500, code: 'InternalError', message: 'An unknown error has occurred.' },
    context,
  );
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

/** Returns why a request is rejected before its body is read. Remix's own check of the origin skips resource routes. */
function checkRequest({ method, headers }: ProxyRequest, { env }: ProxyContext): Rejection | null {
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

/** Throws for bytes that are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readText(request: ProxyRequest): Promise<string | Rejection> {
  const body = await request.readBody(MAX_BODY_BYTES);
  if (isRejected(body)) return body;
  try {
    return utf8.decode(body);
  } catch {
    return { status: 400, code: 'MalformedJson', message: 'The body is not UTF-8.' };
  }
}

async function forward(
  request: ProxyRequest,
  context: ProxyContext,
  session: SignedIn,
): Promise<ProxyResponse> {
  const { env, dataApi, trustedDocuments, requestId, sessionMs } = context;
  const text = await readText(request);
  if (typeof text !== 'string') return rejectOperation(text, context);
  const trusted = env.dataApi.operations === 'any' ? null : trustedDocuments;
  const checked = checkOperation(text, { trusted });
  if ('rejection' in checked) return rejectOperation(checked.rejection, context);
  const options = { signal: request.signal, requestId, sessionMs, isCounted: true };
  const { result, timing } = await dataApi.execute(session, checked.operation, options);
  const { data, errors } = result;
  return jsonResponse(200, errors.length > 0 ? { data, errors } : { data }, serverTiming(timing));
}

function errorResponse(
  { status, code, message = '', headers = {} }: Rejection,
  { requestId, sessionMs }: Pick<ProxyContext, 'requestId' | 'sessionMs'>,
): ProxyResponse {
  const body = { data: null, errors: [{ message, errorType: code }], extensions: { requestId } };
  const response = jsonResponse(status, body, timed('session', sessionMs));
  Object.assign(response.headers, headers);
  return response;
}

function jsonResponse(status: number, body: unknown, timing: string): ProxyResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'server-timing': timing,
    },
    body: JSON.stringify(body),
  };
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

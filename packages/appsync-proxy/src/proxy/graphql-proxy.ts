/**
 * The GraphQL proxy: executes one operation of a signed-in visitor at the data API. It is the resource route
 * `api/graphql`, which runs after the request filter.
 */

import { randomUUID } from 'node:crypto';
import {
  consoleLog,
  describeUpstreamFailure,
  isUpstreamError,
  type Log,
  logUpstreamFailure,
  readAtMost,
} from '#upstream';
import { type AppSyncClient, TOO_MANY_REQUESTS } from '../data-api/appsync-client.ts';
import type { CallTiming } from '../data-api/call-timing.ts';
import type { Caller } from '../settings.ts';
import { graphqlError, type Rejection } from './graphql-error.ts';
import { checkOperation } from './operation-check.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

export type GraphqlProxyOptions = {
  api: AppSyncClient;
  /** The operations that browsers may send. */
  documents: TrustedDocuments;
  /**
   * Whether a request comes from a page of the app: `isSameOrigin` of `@tenfold/cognito-session`. Without this check another
   * site could send operations with the visitor's cookies: Remix checks no resource route.
   */
  isSameOrigin(headers: Headers): boolean;
  /** Default: warnings and errors go to the console. */
  log?: Log;
  /** Called with the code of each rejected operation. Codes of upstream failures are left out: they are unbounded. */
  onRejected?(code: string): void;
};

/** One request for the proxy. */
export type ProxiedCall = {
  /** The signed-in visitor, or null. */
  caller: Caller | null;
  /** In logs and in the body of a rejection. Default: a random one. */
  requestId?: string | undefined;
  /**
   * Aborts when the client disconnects: the call to the data API is then closed. Default: the request's, which Node 20 may
   * forget (nodejs/undici#3644): the call then goes on to its end.
   */
  signal?: AbortSignal | undefined;
  /** How long opening the session took, in milliseconds. Default: 0. */
  sessionMs?: number | undefined;
};

/** Returns the response to an operation. */
export type GraphqlProxy = (request: Request, call: ProxiedCall) => Promise<Response>;

type ProxyContext = GraphqlProxyOptions & {
  log: Log;
  caller: Caller | null;
  requestId: string;
  signal: AbortSignal;
  sessionMs: number;
};

/** No operation may be larger. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The status of a response that is never sent, because the client has disconnected. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Creates the proxy. The body of its response is JSON in GraphQL's response format, whatever the status: a failure of the
 * data API and an error of the app are responses too. It is empty when the client has disconnected.
 */
export function createGraphqlProxy(options: GraphqlProxyOptions): GraphqlProxy {
  const { log = consoleLog } = options;
  return (request, { caller, requestId = randomUUID(), signal = request.signal, sessionMs = 0 }) =>
    proxyOperation(request, { ...options, log, caller, requestId, signal, sessionMs });
}

async function proxyOperation(request: Request, context: ProxyContext): Promise<Response> {
  const { log, requestId, caller, signal } = context;
  const rejection = checkRequest(request, context);
  if (rejection) return rejectOperation(rejection, context);
  if (!caller) return rejectOperation(signedOut, context);
  try {
    return await forward(request, context, caller);
  } catch (err) {
    if (signal.aborted) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    if (isUpstreamError(err)) {
      if (err.code === TOO_MANY_REQUESTS) return rejectOperation(describeUpstreamFailure(err), context);
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

/** 413 (RFC 9110 section 15.5.14). */
const bodyTooLarge: Rejection = {
  status: 413,
  code: 'BodyTooLarge',
  message: `The body may have at most ${MAX_BODY_BYTES} bytes.`,
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
function checkRequest({ method, headers }: Request, { isSameOrigin }: ProxyContext): Rejection | null {
  if (method !== 'POST') return methodNotAllowed;
  if (!isSameOrigin(headers)) {
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
  return Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES ? bodyTooLarge : null;
}

async function forward(request: Request, context: ProxyContext, caller: Caller): Promise<Response> {
  const { api, documents, requestId, sessionMs, signal } = context;
  const text = await readText(request);
  if (typeof text !== 'string') return rejectOperation(text, context);
  const checked = checkOperation(text, documents);
  if ('rejection' in checked) return rejectOperation(checked.rejection, context);
  const options = { signal, requestId, sessionMs };
  const { result, timing } = await api.execute(caller, checked.operation, options);
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
  const bytes = await readAtMost(body, MAX_BODY_BYTES);
  if (!bytes) return bodyTooLarge;
  try {
    return utf8.decode(bytes);
  } catch {
    return { status: 400, code: 'MalformedJson', message: 'The body is not UTF-8.' };
  }
}

/** Rejects an operation: counted by its code and logged. */
function rejectOperation(rejection: Rejection, context: ProxyContext): Response {
  const { status, code } = rejection;
  context.onRejected?.(code);
  context.log.info({ requestId: context.requestId, status, code }, 'operation rejected');
  return failOperation(rejection, context);
}

function failOperation(rejection: Rejection, { requestId, sessionMs }: ProxyContext): Response {
  const headers = { ...rejection.headers, 'server-timing': timed('session', sessionMs) };
  const { type, json } = graphqlError(rejection, requestId);
  const own = { 'content-type': type, 'cache-control': 'private, no-store' };
  return new Response(json, { status: rejection.status, headers: { ...own, ...headers } });
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

/**
 * One GraphQL operation of a signed-in visitor, to the data API and back. What arrives is whatever the server in front
 * of it makes of a request: a route's `Request`, or the request of `node:http` itself.
 */

import type { Env } from '../config/env.ts';
import type { CallTiming, DataApi } from '../data-api/data-api.ts';
import { isSameOrigin, MAX_BODY_BYTES } from '../http/request-filter.ts';
import { describeUpstreamFailure } from '../http/upstream-failure.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { retryAfter } from '../rate-limit/rate-limit.ts';
import type { CallSignal } from '../resilience/deadline.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { Session, SignedIn } from '../session/session.ts';
import { checkOperation } from './operation-check.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** What the proxy needs of the process. */
export type ProxyServices = {
  env: Pick<Env, 'appOrigin' | 'dataApi'>;
  log: Log;
  metrics: Pick<Metrics, 'refused'>;
  trustedDocuments: TrustedDocuments;
  dataApi: DataApi;
};

/** Whose call it is; `sessionMs` is how long it took to find out. */
export type ProxyVisit = { requestId: string; session: Session; sessionMs: number };

/** Both, as the context of a request has them. */
export type ProxyContext = ProxyServices & ProxyVisit;

export type ProxyCall = {
  method: string;
  /** By lower-case name; null when absent. */
  header(name: string): string | null;
  /** The whole body, or null as soon as it is longer than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array | null>;
  /** Aborts when the caller leaves. */
  signal: CallSignal;
};

/** `body` is JSON in GraphQL's shape, whatever the status; empty for a caller who has left. */
export type ProxyAnswer = { status: number; headers: Record<string, string>; body: string };

type Refusal = { status: number; code: string; message: string; headers?: Record<string, string> };

type RefusingServices = Pick<ProxyServices, 'log' | 'metrics'>;

type AnsweredVisit = Pick<ProxyVisit, 'requestId' | 'sessionMs'>;

/** The answer to a call. Rejects only with a mistake of ours; every failure of an upstream is an answer. */
export async function proxyOperation(
  call: ProxyCall,
  services: ProxyServices,
  visit: ProxyVisit,
): Promise<ProxyAnswer> {
  const refusal = judge(call, services);
  if (refusal) return refuse(refusal, services, visit);
  if (visit.session.state !== 'signed-in') return refuse(signedOut, services, visit);
  try {
    return await passOn(call, services, visit, visit.session);
  } catch (err) {
    // Nobody is there to read it; the status is what servers log for a client that went away.
    if (call.signal.aborted) return { status: 499, headers: {}, body: '' };
    if (!(err instanceof UpstreamError)) throw err;
    services.log.warn({ err, requestId: visit.requestId }, 'data API call failed');
    return fail(describeUpstreamFailure(err), visit);
  }
}

const methodNotAllowed: Refusal = {
  status: 405,
  code: 'MethodNotAllowed',
  message: 'Operations are posted.',
  headers: { allow: 'POST' },
};

const signedOut: Refusal = {
  status: 401,
  code: 'UserUnAuthenticatedException',
  message: 'User needs to be authenticated to call this API.',
};

const tooLarge: Refusal = {
  status: 413,
  code: 'BodyTooLarge',
  message: `A body has at most ${MAX_BODY_BYTES} bytes.`,
  // What is still coming of the body would be taken for the next request.
  headers: { connection: 'close' },
};

/** Why a request is refused whatever its body says. The gate in front has judged the origin; the proxy does again. */
function judge({ method, header }: ProxyCall, { env }: ProxyServices): Refusal | null {
  if (method !== 'POST') return methodNotAllowed;
  if (!isSameOrigin({ header }, env.appOrigin)) {
    return { status: 403, code: 'ForeignOrigin', message: 'Only the pages of this site may call it.' };
  }
  const isJson = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(header('content-type') ?? '');
  if (!isJson || header('content-encoding') !== null) {
    return { status: 415, code: 'UnsupportedMediaType', message: 'The body is application/json, as it is.' };
  }
  return Number(header('content-length') ?? 0) > MAX_BODY_BYTES ? tooLarge : null;
}

/** Throws for what is not UTF-8. It keeps nothing between two whole texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readText(call: ProxyCall): Promise<string | Refusal> {
  const body = await call.body(MAX_BODY_BYTES);
  if (!body) return tooLarge;
  try {
    return utf8.decode(body);
  } catch {
    return { status: 400, code: 'MalformedJson', message: 'The body is not UTF-8.' };
  }
}

async function passOn(
  call: ProxyCall,
  services: ProxyServices,
  visit: ProxyVisit,
  session: SignedIn,
): Promise<ProxyAnswer> {
  const { env, dataApi, trustedDocuments } = services;
  const { requestId, sessionMs } = visit;
  const text = await readText(call);
  if (typeof text !== 'string') return refuse(text, services, visit);
  const trusted = env.dataApi.operations === 'any' ? null : trustedDocuments;
  const checked = checkOperation(text, { trusted });
  if ('rejection' in checked) return refuse(checked.rejection, services, visit);
  const options = { signal: call.signal, requestId, sessionMs };
  const { result, timing } = await dataApi.execute(session, checked.operation, options);
  const { data, errors } = result;
  return answer(200, errors.length > 0 ? { data, errors } : { data }, serverTiming(timing));
}

/** For a mistake of ours, of which nobody outside is told more. */
export function internalError(visit: AnsweredVisit): ProxyAnswer {
  return fail({ status: 500, code: 'InternalError', message: 'An unknown error has occurred.' }, visit);
}

/** For a call that comes too soon: 429 with the time to wait (RFC 6585 section 4). */
export function refuseForNow(
  retryAfterMs: number,
  services: RefusingServices,
  visit: AnsweredVisit,
): ProxyAnswer {
  return refuse(
    {
      status: 429,
      code: 'TooManyRequests',
      message: 'Too many requests: see Retry-After.',
      headers: retryAfter(retryAfterMs),
    },
    services,
    visit,
  );
}

/** What the site itself refuses is counted by its code; an upstream's failure is not, since its codes are anybody's. */
function refuse(refusal: Refusal, { log, metrics }: RefusingServices, visit: AnsweredVisit): ProxyAnswer {
  const { status, code } = refusal;
  metrics.refused(code);
  log.info({ requestId: visit.requestId, status, code }, 'data API call refused');
  return fail(refusal, visit);
}

function fail(
  { status, code, message, headers = {} }: Refusal,
  { requestId, sessionMs }: AnsweredVisit,
): ProxyAnswer {
  const body = { data: null, errors: [{ message, errorType: code }], extensions: { requestId } };
  const failed = answer(status, body, `session;dur=${sessionMs.toFixed(1)}`);
  Object.assign(failed.headers, headers);
  return failed;
}

function answer(status: number, body: unknown, timing: string): ProxyAnswer {
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

/** The legs in `Server-Timing` (W3C Server Timing section 3). */
function serverTiming({ session, identity, sign, upstream, identityCached }: CallTiming): string {
  const legs = [
    leg('session', session),
    `${leg('identity', identity)};desc=${identityCached ? 'hit' : 'miss'}`,
    leg('sign', sign),
    leg('upstream', upstream),
  ];
  return legs.join(', ');
}

function leg(name: string, ms: number): string {
  return `${name};dur=${ms.toFixed(1)}`;
}

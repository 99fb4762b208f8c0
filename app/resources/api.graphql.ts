import type { CallTiming, DataApi } from '../server/data-api.server.ts';
import type { Env } from '../server/env.server.ts';
import { UpstreamError } from '../server/errors.server.ts';
import { guardOperation } from '../server/graphql-guard.server.ts';
import type { Log } from '../server/log.server.ts';
import type { Metrics } from '../server/metrics.server.ts';
import { readBody } from '../server/request-body.server.ts';
import { isSameOrigin, MAX_BODY_BYTES } from '../server/request-gate.server.ts';
import type { Session, SignedIn } from '../server/session.server.ts';
import type { TrustedDocuments } from '../server/trusted-documents.server.ts';
import { describeUpstreamFailure } from '../server/upstream-failure.server.ts';

/** What the proxy needs of a request's context. */
export type ProxyContext = {
  env: Pick<Env, 'appOrigin' | 'dataApi'>;
  log: Log;
  metrics: Pick<Metrics, 'refused'>;
  requestId: string;
  session: Session;
  sessionMs: number;
  trustedDocuments: TrustedDocuments;
  dataApi: DataApi;
};

type Refusal = { status: number; code: string; message: string; headers?: Record<string, string> };

/** One GraphQL operation of a signed-in visitor, to the data API and back. Every answer is GraphQL's shape in JSON. */
export async function action({ request, context }: { request: Request; context: ProxyContext }) {
  const refusal = judge(request, context);
  if (refusal) return refuse(refusal, context);
  if (context.session.state !== 'signed-in') return refuse(signedOut, context);
  try {
    return await passOn(request, context, context.session);
  } catch (err) {
    // Nobody is there to read it; the status is what servers log for a client that went away.
    if (request.signal.aborted) return new Response(null, { status: 499 });
    if (!(err instanceof UpstreamError)) throw err;
    context.log.warn({ err, requestId: context.requestId }, 'data API call failed');
    return answerError(describeUpstreamFailure(err), context);
  }
}

/** Operations are only ever posted: a GET could be embedded, cached and remembered. */
export function loader({ context }: { context: ProxyContext }) {
  return refuse(methodNotAllowed, context);
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
function judge(request: Request, { env }: ProxyContext): Refusal | null {
  const { headers, method } = request;
  if (method !== 'POST') return methodNotAllowed;
  const origin = headers.get('origin');
  const isForeign = origin !== null && origin !== env.appOrigin;
  if (isForeign || !isSameOrigin({ header: (name) => headers.get(name) }, env.appOrigin)) {
    return { status: 403, code: 'ForeignOrigin', message: 'Only the pages of this site may call it.' };
  }
  const isJson = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(headers.get('content-type') ?? '');
  if (!isJson || headers.has('content-encoding')) {
    return { status: 415, code: 'UnsupportedMediaType', message: 'The body is application/json, as it is.' };
  }
  return Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES ? tooLarge : null;
}

async function readText(request: Request): Promise<string | Refusal> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!body) return tooLarge;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return { status: 400, code: 'MalformedJson', message: 'The body is not UTF-8.' };
  }
}

async function passOn(request: Request, context: ProxyContext, session: SignedIn): Promise<Response> {
  const { env, dataApi, trustedDocuments, requestId, sessionMs } = context;
  const text = await readText(request);
  if (typeof text !== 'string') return refuse(text, context);
  const trusted = env.dataApi.operations === 'any' ? null : trustedDocuments;
  const guarded = guardOperation(text, { trusted });
  if ('refusal' in guarded) return refuse(guarded.refusal, context);
  const options = { signal: request.signal, requestId, sessionMs };
  const { result, timing } = await dataApi.execute(session, guarded.operation, options);
  const { data, errors } = result;
  return answer(200, errors.length > 0 ? { data, errors } : { data }, {
    'server-timing': serverTiming(timing),
  });
}

/** What the site itself refuses is counted by its code; an upstream's failure is not, since its codes are anybody's. */
function refuse(refusal: Refusal, context: ProxyContext): Response {
  const { status, code } = refusal;
  context.metrics.refused(code);
  context.log.info({ requestId: context.requestId, status, code }, 'data API call refused');
  return answerError(refusal, context);
}

function answerError(
  { status, code, message, headers }: Refusal,
  { requestId, sessionMs }: ProxyContext,
): Response {
  const body = { data: null, errors: [{ message, errorType: code }], extensions: { requestId } };
  return answer(status, body, { 'server-timing': `session;dur=${sessionMs.toFixed(1)}`, ...headers });
}

function answer(status: number, body: unknown, headers: Record<string, string>): Response {
  return Response.json(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      ...headers,
    },
  });
}

/** The legs in `Server-Timing` (W3C Server Timing section 3). */
function serverTiming({ session, identity, sign, upstream, identityCached }: CallTiming): string {
  const legs: [string, number, string?][] = [
    ['session', session],
    ['identity', identity, identityCached ? 'hit' : 'miss'],
    ['sign', sign],
    ['upstream', upstream],
  ];
  return legs
    .map(([leg, ms, desc]) => `${leg};dur=${ms.toFixed(1)}${desc ? `;desc=${desc}` : ''}`)
    .join(', ');
}

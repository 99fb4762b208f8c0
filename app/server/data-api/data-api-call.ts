/** One call to the data API: sent once, read to its end, and either a GraphQL result or an `UpstreamError`. */
import { Pool } from 'undici';
import { concatChunks } from '../http/request-body.ts';
import { readAwsError } from '../resilience/aws-error.ts';
import type { CallSignal } from '../resilience/deadline.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { type GraphqlResult, parseJson, readErrorType, readGraphqlResult } from './graphql-result.ts';

export type Answer = {
  /** The upstream's time, in milliseconds; null when it told none. */
  serverTime: number | null;
} & ({ result: GraphqlResult } | { failure: UpstreamError });

export type CallDataApi = (call: {
  headers: Record<string, string>;
  body: string;
  signal: CallSignal;
}) => Promise<Answer>;

/** What AppSync answers at most, and more than any page of ours can show. */
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 2000;

/** What happens before a byte of the request has left. */
const CONNECT_ERRORS = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Calls to one endpoint over connections that are kept. Redirects are not followed: credentials go where the
 * configuration says and nowhere else. A call whose signal aborts rejects with the signal's reason; every other
 * failure is a value.
 */
export function createCallDataApi(endpoint: URL): CallDataApi {
  const pool = new Pool(endpoint.origin, {
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const path = endpoint.pathname + endpoint.search;
  return async ({ headers, body, signal }) => {
    try {
      return readAnswer(await exchange(pool, { path, headers, body, signal }));
    } catch (error) {
      signal.throwIfAborted();
      return { serverTime: null, failure: connectionFailure(error) };
    }
  };
}

/** Whether the request cannot have been carried out: refused by its headers alone, or never sent. */
export function cannotHaveRun({ code, details }: UpstreamError): boolean {
  const { status } = details;
  return code === 'ConnectError' || (status !== undefined && status >= 400 && status < 500);
}

type WholeResponse = { status: number; headers: ResponseHeaders; text: string };

/** The headers of a response as they came, names and values in turn. */
type ResponseHeaders = { get(name: string): string | null };

type WholeRequest = { path: string; headers: Record<string, string>; body: string; signal: CallSignal };

/** Sends a request and reads the response to its end, without the streams that are for larger ones. */
function exchange(pool: Pool, { path, headers, body, signal }: WholeRequest): Promise<WholeResponse> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let head: readonly Buffer[] = [];
    const chunks: Buffer[] = [];
    let leave = () => {};
    pool.dispatch(
      { method: 'POST', path, headers, body },
      {
        onConnect(abort) {
          leave = () => abort(signal.reason);
          if (signal.aborted) leave();
          else signal.addEventListener('abort', leave, { once: true });
        },
        onHeaders(answered, raw) {
          status = answered;
          head = raw;
          return true;
        },
        onData: (chunk) => chunks.push(chunk) > 0,
        onComplete() {
          signal.removeEventListener('abort', leave);
          resolve({ status, headers: readHeaders(head), text: concatChunks(chunks).toString() });
        },
        onError(error) {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      },
    );
  });
}

function readHeaders(raw: readonly Buffer[]): ResponseHeaders {
  return {
    get(name) {
      for (let at = 0; at < raw.length; at += 2) {
        const bytes = raw[at];
        if (bytes?.length === name.length && bytes.toString().toLowerCase() === name) {
          return raw[at + 1]?.toString() ?? null;
        }
      }
      return null;
    },
  };
}

function readAnswer({ status, headers, text }: WholeResponse): Answer {
  const date = Date.parse(headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? null : date;
  if (status !== 200) return { serverTime, failure: readFailure(status, headers, text) };
  const result = readGraphqlResult(text);
  return result
    ? { serverTime, result }
    : { serverTime, failure: fail('InvalidResponse', 'The answer is not a GraphQL result.', { status }) };
}

function readFailure(status: number, headers: ResponseHeaders, text: string): UpstreamError {
  if (status < 400) return fail('UnexpectedStatus', `Answered ${status}.`, { status });
  const body = parseJson(text);
  const { code, message } = readAwsError(headers, body);
  const retryAfterMs = readRetryAfter(headers);
  return fail(code === 'UnknownError' ? (readErrorType(body) ?? code) : code, message, {
    status,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** `Retry-After` in milliseconds; the form with a date is not used by AWS and counts as none. */
function readRetryAfter(headers: ResponseHeaders): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

function connectionFailure(cause: unknown): UpstreamError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (CONNECT_ERRORS.has(code)) return fail('ConnectError', 'A network error has occurred.', { cause });
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return fail('ResponseTooLarge', `The answer has more than ${MAX_RESPONSE_BYTES} bytes.`, { cause });
  }
  if (code.endsWith('TIMEOUT')) return fail('TimeoutError', 'No answer in time.', { cause });
  return fail('NetworkError', 'A network error has occurred.', { cause });
}

function fail(code: string, message: string, details: UpstreamError['details']): UpstreamError {
  return new UpstreamError('data-api', code, message, details);
}

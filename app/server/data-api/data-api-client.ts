/** The HTTP client for the data API. It makes one request and reports every failure as an `UpstreamError`. */
import { Pool } from 'undici';
import type { HeaderReader } from '../http/exchange.ts';
import { concatChunks } from '../http/request-body.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import { ConfigurationError } from '../resilience/configuration-error.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { parseAwsError, parseJson } from '../resilience/upstream-response.ts';
import { type GraphqlResult, parseFirstError, parseGraphqlResult } from './graphql-result.ts';

type DataApiRequest = {
  headers: Record<string, string>;
  body: string;
  signal: CallSignal;
};

export type DataApiResponse = {
  /** The upstream's time from its `Date` header, in milliseconds since the epoch; null when unknown. */
  serverTime: number | null;
} & ({ result: GraphqlResult } | { failure: UpstreamError });

export type DataApiClient = (request: DataApiRequest) => Promise<DataApiResponse>;

/** AppSync's own limit for a response. */
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 2000;

const POLICY_FIX =
  'Allow appsync:GraphQL on the called fields in the role of signed-in users of the identity pool.';

/** Errors that occur before any byte of the request is sent. */
const CONNECT_ERRORS = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A client for one endpoint with a pool of persistent connections. It does not follow redirects, so credentials are
 * sent to the configured endpoint only. Rejects with the reason of `signal` when that is aborted; every other failure
 * is a value.
 */
export function createDataApiClient(endpoint: URL): DataApiClient {
  const pool = new Pool(endpoint.origin, {
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const path = endpoint.pathname + endpoint.search;
  return async ({ headers, body, signal }) => {
    try {
      return parseResponse(await send(pool, path, { headers, body, signal }));
    } catch (error) {
      signal.throwIfAborted();
      return { serverTime: null, failure: connectionFailure(error) };
    }
  };
}

/** Whether the upstream cannot have executed the operation: it rejected the request, or never received it. */
export function wasNotExecuted({ code, details }: UpstreamError): boolean {
  const { status } = details;
  return code === 'ConnectError' || (status !== undefined && status >= 400 && status < 500);
}

type RawResponse = {
  status: number;
  headers: HeaderReader;
  text: string;
};

/**
 * Sends a request and reads the whole response. `pool.request` would create a stream for every response and take 1.5
 * times the CPU time of `dispatch`.
 */
function send(pool: Pool, path: string, { headers, body, signal }: DataApiRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let rawHeaders: readonly Buffer[] = [];
    const chunks: Buffer[] = [];
    let onAbort = () => {};
    pool.dispatch(
      { method: 'POST', path, headers, body },
      {
        onConnect(abort) {
          onAbort = () => abort(signal.reason);
          if (signal.aborted) onAbort();
          else signal.addEventListener('abort', onAbort);
        },
        onHeaders(responseStatus, responseHeaders) {
          status = responseStatus;
          rawHeaders = responseHeaders;
          return true;
        },
        onData: (chunk) => chunks.push(chunk) > 0,
        onComplete() {
          signal.removeEventListener('abort', onAbort);
          resolve({ status, headers: createHeaderReader(rawHeaders), text: concatChunks(chunks).toString() });
        },
        onError(error) {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      },
    );
  });
}

/** Reads headers by their lower-case name from a list of alternating names and values. */
function createHeaderReader(rawHeaders: readonly Buffer[]): HeaderReader {
  return {
    get(name) {
      for (let index = 0; index < rawHeaders.length; index += 2) {
        const bytes = rawHeaders[index];
        if (bytes?.length === name.length && bytes.toString().toLowerCase() === name) {
          return rawHeaders[index + 1]?.toString() ?? null;
        }
      }
      return null;
    },
  };
}

function parseResponse({ status, headers, text }: RawResponse): DataApiResponse {
  const date = Date.parse(headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? null : date;
  if (status !== 200) return { serverTime, failure: parseFailure(status, headers, text) };
  const result = parseGraphqlResult(text);
  return result
    ? { serverTime, result }
    : {
        serverTime,
        failure: failure('InvalidResponse', 'The response is not a GraphQL result.', { status }),
      };
}

function parseFailure(status: number, headers: HeaderReader, text: string): UpstreamError {
  if (status < 400) return failure('UnexpectedStatus', `The status is ${status}.`, { status });
  const body = parseJson(text);
  const { code: awsCode, message } = parseAwsError({ status, headers }, body);
  const first = parseFirstError(body);
  const code = awsCode === 'UnknownError' ? (first?.errorType ?? awsCode) : awsCode;
  if (isPolicyDenial(code, first?.message ?? message)) {
    return new ConfigurationError('data-api', 'PermissionDenied', 'Permission denied', POLICY_FIX, {
      status,
    });
  }
  const retryAfterMs = parseRetryAfter(headers);
  return failure(code, message, { status, ...(retryAfterMs === null ? {} : { retryAfterMs }) });
}

/**
 * Whether an IAM policy denied a signed call. AppSync then responds with 401, `UnauthorizedException` and this message.
 * Rejected tokens have the same error type.
 */
function isPolicyDenial(code: string, message: string): boolean {
  return (
    code === 'AccessDeniedException' || (code === 'UnauthorizedException' && message === 'Permission denied')
  );
}

/** `Retry-After` in milliseconds (RFC 9110 section 10.2.3). Null for the form with a date, which AWS does not use. */
function parseRetryAfter(headers: HeaderReader): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

function connectionFailure(cause: unknown): UpstreamError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (CONNECT_ERRORS.has(code)) return failure('ConnectError', 'A network error has occurred.', { cause });
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return failure('ResponseTooLarge', `The response exceeds ${MAX_RESPONSE_BYTES} bytes.`, { cause });
  }
  if (code.endsWith('TIMEOUT')) return failure('TimeoutError', 'The call timed out.', { cause });
  return failure('NetworkError', 'A network error has occurred.', { cause });
}

function failure(code: string, message: string, details: UpstreamError['details']): UpstreamError {
  return new UpstreamError('data-api', code, message, details);
}

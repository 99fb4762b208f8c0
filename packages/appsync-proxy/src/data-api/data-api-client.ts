/** The HTTP client for the data API. It makes one request and reports every failure as an `UpstreamError`. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { ConfigurationError, createDispatcher, parseAwsError, parseJson, UpstreamError } from '#upstream';
import {
  createErrorMessages,
  type ErrorMessages,
  type GraphqlResult,
  parseFirstError,
  parseGraphqlResult,
} from './graphql-result.ts';

type DataApiRequest = {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
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
 * A client for one endpoint with persistent connections. It does not follow redirects, so credentials are
 * sent to the configured endpoint only. Rejects with the reason of `signal` when that is aborted; every other failure
 * is a value.
 */
export function createDataApiClient(
  endpoint: URL,
  errorTypes: Readonly<Record<string, string>>,
): DataApiClient {
  const messages = createErrorMessages(errorTypes);
  const dispatcher = createDispatcher({
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return async ({ headers, body, signal }) => {
    try {
      return parseResponse(await send(endpoint, { headers, body, signal, dispatcher }), messages);
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
  headers: Pick<Headers, 'get'>;
  text: string;
};

/** Sends a request and reads the whole response. */
async function send(
  endpoint: URL,
  options: DataApiRequest & { dispatcher: Dispatcher },
): Promise<RawResponse> {
  const { statusCode, headers, body } = await request(endpoint, { method: 'POST', ...options });
  return { status: statusCode, headers: createHeaderReader(headers), text: await body.text() };
}

/** Reads headers by their lower-case name. Of several with one name it returns the first. */
function createHeaderReader(headers: IncomingHttpHeaders): Pick<Headers, 'get'> {
  return { get: (name) => [headers[name]].flat()[0] ?? null };
}

function parseResponse({ status, headers, text }: RawResponse, messages: ErrorMessages): DataApiResponse {
  const date = Date.parse(headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? null : date;
  if (status !== 200) return { serverTime, failure: parseFailure(status, headers, text) };
  const result = parseGraphqlResult(text, messages);
  return result
    ? { serverTime, result }
    : {
        serverTime,
        failure: failure('InvalidResponse', 'The response is not a GraphQL result.', { status }),
      };
}

function parseFailure(status: number, headers: Pick<Headers, 'get'>, text: string): UpstreamError {
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
function parseRetryAfter(headers: Pick<Headers, 'get'>): number | null {
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

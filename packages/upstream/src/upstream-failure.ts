/** What the client of an app may know about the failure of an upstream. */
import type { UpstreamError } from './upstream-error.ts';

/** The part of an upstream's failure that a response contains. No text of the upstream is in it. */
export type UpstreamFailure = {
  /** 401 if the session has no valid ID token, 429 beyond the session's limit of operations, else 502, 503 or 504. */
  status: 401 | 429 | 502 | 503 | 504;
  code: string;
  message: string;
  /** `retry-after`, if the upstream or the circuit breaker gave a time (RFC 9110 section 10.2.3). */
  headers?: Record<string, string>;
};

const NETWORK_ERROR = 'A network error has occurred.';

const messages = new Map([
  ['NetworkError', NETWORK_ERROR],
  ['ConnectError', NETWORK_ERROR],
  ['TimeoutError', NETWORK_ERROR],
  ['CredentialsException', 'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.'],
  ['UserUnAuthenticatedException', 'User needs to be authenticated to call this API.'],
  ['TooManyRequests', 'Too many requests: see Retry-After.'],
]);

/** Describes an upstream's failure: 504 for a timeout, 503 if a later attempt may succeed, else 502. */
export function describeUpstreamFailure(error: UpstreamError): UpstreamFailure {
  const { retryAfterMs } = error.details;
  return {
    status: statusOf(error),
    code: /^[A-Za-z]\w{0,63}$/.test(error.code) ? error.code : 'UnknownError',
    message: messages.get(error.code) ?? 'An unknown error has occurred.',
    ...(retryAfterMs === undefined
      ? {}
      : { headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } }),
  };
}

function statusOf({ code, details }: UpstreamError): UpstreamFailure['status'] {
  if (code === 'UserUnAuthenticatedException') return 401;
  if (code === 'TooManyRequests') return 429;
  if (code === 'TimeoutError' || details.status === 504) return 504;
  const isBusy = details.status === 429 || details.status === 503 || /Throttl|TooManyRequests/.test(code);
  return code === 'CircuitOpen' || code === 'Overloaded' || isBusy ? 503 : 502;
}

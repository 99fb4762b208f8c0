/** What a program is told of an upstream's failure: enough to try again, nothing of what the upstream said. Pure. */

import { retryAfter } from '../rate-limit/rate-limit.ts';
import type { UpstreamError } from '../resilience/upstream-error.ts';

export type UpstreamFailure = {
  /** 401 where the session has no ID token, or one whose login is over; else 502, 503 or 504. */
  status: 401 | 502 | 503 | 504;
  code: string;
  message: string;
  /** `retry-after`, where it is known how long it takes (RFC 9110 section 10.2.3). */
  headers?: Record<string, string>;
};

const NETWORK_ERROR = 'A network error has occurred.';

const messages = new Map([
  ['NetworkError', NETWORK_ERROR],
  ['ConnectError', NETWORK_ERROR],
  ['TimeoutError', NETWORK_ERROR],
  ['CredentialsException', 'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.'],
  ['UserUnAuthenticatedException', 'User needs to be authenticated to call this API.'],
]);

/** An upstream's failure as an answer: 504 for silence, 503 where a later try is welcome, else 502. */
export function describeUpstreamFailure(error: UpstreamError): UpstreamFailure {
  const { retryAfterMs } = error.details;
  return {
    status: statusOf(error),
    code: /^[A-Za-z]\w{0,63}$/.test(error.code) ? error.code : 'UnknownError',
    message: messages.get(error.code) ?? 'An unknown error has occurred.',
    ...(retryAfterMs === undefined ? {} : { headers: retryAfter(retryAfterMs) }),
  };
}

function statusOf({ code, details }: UpstreamError): UpstreamFailure['status'] {
  if (code === 'UserUnAuthenticatedException') return 401;
  if (code === 'TimeoutError' || details.status === 504) return 504;
  const isBusy = details.status === 429 || details.status === 503 || /Throttl|TooManyRequests/.test(code);
  return code === 'CircuitOpen' || code === 'Overloaded' || isBusy ? 503 : 502;
}

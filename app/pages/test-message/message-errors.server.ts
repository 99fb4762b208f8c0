/** Maps failures of the data API to the error codes that the page shows, and those to HTTP statuses. */
import { describeUpstreamFailure } from '../../server/http/error-response.ts';
import { ConfigurationError } from '../../server/resilience/configuration-error.ts';
import type { UpstreamError } from '../../server/resilience/upstream-error.ts';
import type { CallErrorCode, MessageErrorCode, MessageOutcome } from './message-outcome.ts';

const statuses: Record<MessageErrorCode, number> = {
  empty: 422,
  'too-long': 422,
  rejected: 422,
  'signed-out': 401,
  'not-yours': 403,
  gone: 404,
  'no-such-page': 404,
  refused: 502,
  busy: 503,
  'too-many-requests': 429,
  timeout: 504,
  unreachable: 502,
  unavailable: 502,
  unknown: 502,
  offline: 503,
};

/** The HTTP status of a document that shows `error`. */
export function statusOfError(error: MessageErrorCode): number {
  return statuses[error];
}

/** The HTTP status of the response to a form. */
export function statusOfOutcome(outcome: MessageOutcome): number {
  return outcome.type === 'failed' ? statuses[outcome.error] : 200;
}

/** The error code for a call without a valid response. */
export function errorOfUpstream(error: UpstreamError): CallErrorCode {
  switch (describeUpstreamFailure(error).status) {
    case 401:
      return 'signed-out';
    case 429:
      return 'too-many-requests';
    case 503:
      return 'busy';
    case 504:
      return 'timeout';
    case 502:
      return errorOfBadGateway(error);
  }
}

function errorOfBadGateway(error: UpstreamError): CallErrorCode {
  if (error instanceof ConfigurationError) return 'unavailable';
  const { code, details } = error;
  const { status } = details;
  if (code === 'NetworkError' || code === 'ConnectError') return 'unreachable';
  return status !== undefined && status >= 400 && status < 500 ? 'refused' : 'unavailable';
}

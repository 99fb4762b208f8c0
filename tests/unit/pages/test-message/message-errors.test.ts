import { describe, expect, it } from 'vitest';
import {
  errorOfUpstream,
  statusOfError,
  statusOfOutcome,
} from '~/pages/test-message/message-errors.server.ts';
import {
  errorOfOperation,
  errorOfProxyResponse,
  type MessageCall,
  type MessageErrorCode,
} from '~/pages/test-message/message-outcome.ts';
import { ConfigurationError } from '~/server/resilience/configuration-error.ts';
import { UpstreamError } from '~/server/resilience/upstream-error.ts';

const SECRET_TEXT = 'arn:aws:appsync:us-east-1:123456789012:apis/abc';

describe('errorOfUpstream', () => {
  it.each<[string, UpstreamError, MessageErrorCode, number]>([
    ['a timeout', failure('TimeoutError'), 'timeout', 504],
    ['a lost connection', failure('NetworkError'), 'unreachable', 502],
    ['a failed connection attempt', failure('ConnectError'), 'unreachable', 502],
    ['too many operations of a session', failure('TooManyRequests'), 'too-many-requests', 429],
    ['an open circuit breaker', failure('CircuitOpen'), 'busy', 503],
    ['an internal error of the upstream', failure('InternalFailure', 500), 'unavailable', 502],
    ['an invalid response', failure('InvalidResponse', 200), 'unavailable', 502],
    ['a rejected login', failure('NotAuthorizedException', 400, 'identity-pool'), 'refused', 502],
    ['a rejected signature', failure('InvalidSignatureException', 403), 'refused', 502],
    [
      'a role without permission',
      new ConfigurationError('data-api', 'PermissionDenied', SECRET_TEXT, 'fix', { status: 401 }),
      'unavailable',
      502,
    ],
    [
      'a session without an ID token',
      failure('UserUnAuthenticatedException', undefined, 'identity-pool'),
      'signed-out',
      401,
    ],
  ])('returns the code and status for %s', (_name, error, code, status) => {
    expect(errorOfUpstream(error)).toBe(code);
    expect(statusOfError(code)).toBe(status);
  });

  it('never contains text from the upstream', () => {
    expect(errorOfUpstream(failure(SECRET_TEXT, 418))).toBe('refused');
  });
});

describe('errorOfOperation', () => {
  it.each<[MessageCall, string | null, MessageErrorCode]>([
    ['list', 'ValidationError', 'no-such-page'],
    ['post', 'ValidationError', 'rejected'],
    ['delete', 'Unauthorized', 'not-yours'],
    ['delete', 'NotFound', 'gone'],
    ['post', 'Unauthorized', 'refused'],
    ['delete', 'PermissionDenied', 'unavailable'],
    ['post', null, 'unknown'],
    ['list', 'constructor', 'unknown'],
  ])('%s: %s', (call, errorType, code) => {
    expect(errorOfOperation(call, errorType)).toBe(code);
  });
});

describe('errorOfProxyResponse', () => {
  const response = { status: 200, data: {}, errorType: null };

  it.each<[string, Partial<Parameters<typeof errorOfProxyResponse>[1]>, MessageErrorCode | null]>([
    ['a result', {}, null],
    ['a message of another user', { data: null, errorType: 'Unauthorized' }, 'not-yours'],
    ['neither data nor errors', { data: null }, 'unknown'],
    ['an ended session', { status: 401 }, 'signed-out'],
    ['the rate limit', { status: 429 }, 'too-many-requests'],
    ['a busy upstream', { status: 503 }, 'busy'],
    ['a timeout', { status: 504 }, 'timeout'],
    ['another status', { status: 418 }, 'unknown'],
  ])('for %s', (_what, changed, error) => {
    expect(errorOfProxyResponse('delete', { ...response, ...changed })).toBe(error);
  });
});

it('the status of an outcome is 200 for a success, and 422 for invalid content', () => {
  expect(statusOfOutcome({ type: 'deleted' })).toBe(200);
  const failed = { type: 'failed', intent: 'post', content: '', timing: null } as const;
  expect(statusOfOutcome({ ...failed, error: 'too-long' })).toBe(422);
});

function failure(
  code: string,
  status?: number,
  service: UpstreamError['service'] = 'data-api',
): UpstreamError {
  return new UpstreamError(service, code, SECRET_TEXT, status === undefined ? {} : { status });
}

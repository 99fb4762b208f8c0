import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  errorOfOperation,
  errorOfUpstream,
  type MessageCall,
  statusOfError,
  statusOfOutcome,
} from '~/pages/test-message/message-errors.server.ts';
import type { MessageErrorCode } from '~/pages/test-message/message-outcome.ts';
import { UpstreamError } from '~/server/resilience/upstream-error.ts';

const SECRET_TEXT = 'arn:aws:appsync:us-east-1:123456789012:apis/abc';

describe('the sentence for a call without an answer', () => {
  it.each<[string, UpstreamError, MessageErrorCode, number]>([
    ['silence', failure('TimeoutError'), 'timeout', 504],
    ['a gateway’s silence', failure('UnknownError', 504), 'timeout', 504],
    ['a lost connection', failure('NetworkError'), 'unreachable', 502],
    ['a connection that never was', failure('ConnectError'), 'unreachable', 502],
    ['throttling', failure('ThrottlingException', 429), 'busy', 503],
    ['an upstream that is down', failure('UnknownError', 503), 'busy', 503],
    ['an upstream left alone', failure('CircuitOpen'), 'busy', 503],
    ['an upstream’s own mistake', failure('InternalFailure', 500), 'unavailable', 502],
    ['an answer that is none', failure('InvalidResponse', 200), 'unavailable', 502],
    ['a refused signature', failure('InvalidSignatureException', 403), 'refused', 502],
    ['a refused login', failure('NotAuthorizedException', 400, 'identity-pool'), 'refused', 502],
    [
      'a session without an ID token',
      failure('UserUnAuthenticatedException', undefined, 'identity-pool'),
      'signed-out',
      401,
    ],
  ])('tells of %s', (_name, error, code, status) => {
    expect(errorOfUpstream(error)).toBe(code);
    expect(statusOfError(code)).toBe(status);
  });

  it('never has a word of the upstream in it', () => {
    expect(errorOfUpstream(failure(SECRET_TEXT, 418))).toBe('refused');
  });
});

describe('the sentence for an error of the operation', () => {
  it.each<[MessageCall, string, MessageErrorCode]>([
    ['list', 'ValidationError', 'no-such-page'],
    ['post', 'ValidationError', 'rejected'],
    ['delete', 'Unauthorized', 'not-yours'],
    ['delete', 'NotFound', 'gone'],
    ['post', 'Unauthorized', 'refused'],
    ['post', 'DataApiError', 'unknown'],
    ['list', 'constructor', 'unknown'],
  ])('%s: %s', (call, errorType, code) => {
    expect(errorOfOperation(call, [{ message: SECRET_TEXT, errorType }])).toBe(code);
  });

  it('is there for an answer with neither data nor errors', () => {
    expect(errorOfOperation('list', [])).toBe('unknown');
  });
});

describe('the status of an answer to a form', () => {
  it('is 200 for what was done', () => {
    expect(statusOfOutcome({ type: 'deleted' })).toBe(200);
  });

  it('is 422 for a text that cannot be posted', () => {
    expect(statusOfOutcome({ type: 'failed', intent: 'post', error: 'too-long', content: '' })).toBe(422);
  });
});

it('has a sentence for every code', () => {
  const { error } = JSON.parse(readFileSync('public/locales/en/test-message.json', 'utf8'));
  const codes: Record<MessageErrorCode, true> = {
    empty: true,
    'too-long': true,
    rejected: true,
    'signed-out': true,
    'not-yours': true,
    gone: true,
    'no-such-page': true,
    refused: true,
    busy: true,
    timeout: true,
    unreachable: true,
    unavailable: true,
    unknown: true,
    offline: true,
  };
  const written = Object.keys(error).map((key) => key.replace(/_(one|other)$/, ''));
  expect([...new Set(written)].sort()).toEqual(Object.keys(codes).sort());
});

function failure(
  code: string,
  status?: number,
  service: UpstreamError['service'] = 'data-api',
): UpstreamError {
  return new UpstreamError(service, code, SECRET_TEXT, status === undefined ? {} : { status });
}

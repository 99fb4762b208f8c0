import { describe, expect, it } from 'vitest';
import {
  errorOfOperation,
  errorOfProxyResponse,
  failedForm,
  type MessageCall,
  type MessageErrorCode,
  statusOfError,
} from '~/pages/test-message/message-outcome.ts';

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

it.each<[MessageErrorCode, number]>([
  ['too-long', 422],
  ['gone', 404],
  ['busy', 503],
])('the status of the error %s is %i', (error, status) => {
  expect(statusOfError(error)).toBe(status);
});

describe('a form that does not reach its call', () => {
  const form = (fields: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return data;
  };

  it('returns the text, with the time to wait', () => {
    const refusal = { code: 'too-many-requests', retryAfter: 7 } as const;
    expect(failedForm(refusal, form({ content: 'kept' }))).toEqual({
      ...{ type: 'failed', intent: 'post', error: 'too-many-requests' },
      ...{ content: 'kept', timing: null, retryAfter: 7 },
    });
  });

  it('is too long if the server has refused its size', () => {
    const refusal = { code: 'too-large', retryAfter: null } as const;
    expect(failedForm(refusal, form({ content: 'long' }))).toMatchObject({
      error: 'too-long',
      content: 'long',
    });
  });

  it('is a deletion that failed if the form deletes a message', () => {
    const refusal = { code: 'offline', retryAfter: null } as const;
    const failure = { type: 'failed', intent: 'delete', error: 'offline' };
    expect(failedForm(refusal, form({ intent: 'delete', id: '1' }))).toEqual(failure);
  });
});

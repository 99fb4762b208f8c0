import { describe, expect, it } from 'vitest';
import { parseAwsError, parseJson } from '../src/upstream-response.ts';

describe('parseAwsError', () => {
  it.each([
    [{ 'x-amzn-errortype': 'NotAuthorizedException:' }, {}, 'NotAuthorizedException'],
    [{ 'x-amzn-errortype': 'Throttling:http://internal.amazon.com/' }, { __type: 'Other' }, 'Throttling'],
    [{}, { __type: 'com.amazonaws.cognito#UserNotFoundException' }, 'UserNotFoundException'],
    [{}, { code: 'SlowDown, please' }, 'SlowDown'],
    [{}, { code: 'Throttling', __type: 'Other' }, 'Throttling'],
    [{ 'x-amzn-errortype': ':' }, {}, 'UnknownError'],
    [{}, {}, 'UnknownError'],
    [{}, { __type: 42 }, 'UnknownError'],
    [{}, '<html>', 'UnknownError'],
  ])('with headers %j and body %j returns the code %s', (headers, body, code) => {
    expect(parseAwsError({ status: 400, headers: new Headers(headers) }, body).code).toBe(code);
  });

  it.each([
    [{ message: 'one', Message: 'two' }, 'one'],
    [{ Message: 'two' }, 'two'],
    [{ code: 'Throttling' }, 'The status is 503.'],
  ])('with body %j returns the message “%s”', (body, message) => {
    expect(parseAwsError({ status: 503, headers: new Headers() }, body).message).toBe(message);
  });
});

it('parseJson returns the value, and undefined for a text that is not JSON', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJson('null')).toBeNull();
  for (const text of ['', '<html>', '{']) expect(parseJson(text)).toBeUndefined();
});

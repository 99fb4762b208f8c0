import { describe, expect, it } from 'vitest';
import { parseAwsError } from '../../../../app/server/resilience/upstream-response.ts';

describe('parseAwsError', () => {
  it.each([
    [{ 'x-amzn-errortype': 'NotAuthorizedException:' }, {}, 'NotAuthorizedException'],
    [{ 'x-amzn-errortype': 'Throttling:http://internal.amazon.com/' }, { __type: 'Other' }, 'Throttling'],
    [{}, { __type: 'com.amazonaws.cognito#UserNotFoundException' }, 'UserNotFoundException'],
    [{}, { code: 'SlowDown, please' }, 'SlowDown'],
    [{}, { __type: 42 }, 'UnknownError'],
    [{}, '<html>', 'UnknownError'],
    [{}, null, 'UnknownError'],
  ])('with headers %j and body %j returns the code %s', (headers, body, code) => {
    expect(parseAwsError(new Headers(headers), body).code).toBe(code);
  });
});

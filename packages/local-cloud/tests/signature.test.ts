import { createHash } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import { beforeAll, describe, expect, test } from 'vitest';
import { Sha256, SignatureError, type SignedRequest, verifySignature } from '../src/sigv4/signature.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const MINUTE = 60_000;
const region = 'eu-central-1';
const key = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE+/==',
  expiration: NOW + 60 * MINUTE,
};
const url = new URL('http://api.example.com/graphql?a=1');
const body = Buffer.from('{"query":"{ listMessages { nextToken } }"}');

/** Signs as the AWS SDK does. */
async function sign(changes: { region?: string; service?: string; headers?: Record<string, string> } = {}) {
  const signer = new SignatureV4({
    credentials: { ...key, expiration: new Date(key.expiration) },
    region: changes.region ?? region,
    service: changes.service ?? 'appsync',
    sha256: Sha256,
    applyChecksum: false,
  });
  const headers = { host: url.host, 'content-type': 'application/json', ...changes.headers };
  const unsigned = {
    method: 'POST',
    protocol: 'http:',
    hostname: url.hostname,
    path: '/graphql',
    headers,
    body,
  };
  const signed = await signer.sign({ ...unsigned, query: { a: '1' } }, { signingDate: new Date(NOW) });
  return { method: 'POST', url, headers: signed.headers, body };
}

const verify = (request: SignedRequest, now = NOW) =>
  verifySignature(request, {
    region,
    service: 'appsync',
    now,
    findAccessKey: (id) => (id === key.accessKeyId ? key : undefined),
  });

async function errorOf(request: SignedRequest, now = NOW): Promise<SignatureError> {
  const result = await verify(request, now).catch((error: unknown) => error);
  if (result instanceof SignatureError) return result;
  throw result;
}

let signed: Awaited<ReturnType<typeof sign>>;
beforeAll(async () => {
  signed = await sign();
});

test('a signed request is accepted', async () => {
  expect(await verify(signed)).toBe(key);
});

describe('a signed request is rejected', () => {
  type Change = Partial<SignedRequest> | Record<'add', Record<string, string | undefined>>;
  const authorization = (search: string | RegExp, replacement: string) => ({
    edit: (value: string) => value.replace(search, replacement),
  });
  const cases: [what: string, type: string, change: Change | ReturnType<typeof authorization>][] = [
    ['another method', 'InvalidSignatureException', { method: 'GET' }],
    ['another path', 'InvalidSignatureException', { url: new URL('/graphql2?a=1', url) }],
    ['another query', 'InvalidSignatureException', { url: new URL('/graphql?a=2', url) }],
    ['another body', 'InvalidSignatureException', { body: Buffer.concat([body, Buffer.from(' ')]) }],
    ['another host', 'InvalidSignatureException', { add: { host: 'evil.example' } }],
    ['another content type', 'InvalidSignatureException', { add: { 'content-type': 'text/plain' } }],
    ['an unsigned x-amz- header', 'InvalidSignatureException', { add: { 'x-amz-meta': '1' } }],
    ['a signed header missing', 'InvalidSignatureException', { add: { 'content-type': undefined } }],
    ['another time', 'InvalidSignatureException', { add: { 'x-amz-date': '20261121T100001Z' } }],
    ['another signature', 'InvalidSignatureException', authorization(/.{8}$/, '00000000')],
    ['fewer headers signed', 'InvalidSignatureException', authorization('content-type;', '')],
    ['an unsigned host', 'InvalidSignatureException', authorization('host;', '')],
    ['an unknown key', 'UnrecognizedClientException', authorization('ASIAEXAMPLE', 'ASIAANOTHER')],
    ['no session token', 'UnrecognizedClientException', { add: { 'x-amz-security-token': undefined } }],
    ['another session token', 'UnrecognizedClientException', { add: { 'x-amz-security-token': 'x' } }],
    ['no time', 'IncompleteSignatureException', { add: { 'x-amz-date': undefined } }],
    ['an invalid time', 'IncompleteSignatureException', { add: { 'x-amz-date': '20261321T100000Z' } }],
    ['another algorithm', 'IncompleteSignatureException', authorization('HMAC-SHA256', 'HMAC-SHA1')],
    ['another terminator', 'IncompleteSignatureException', authorization('aws4_request', 'aws5_request')],
    ['no signature', 'IncompleteSignatureException', authorization(/, Signature=.*/, '')],
  ];

  test.each(cases)('with %s', async (_what, type, change) => {
    const { authorization: value = '' } = signed.headers;
    const add = 'edit' in change ? { authorization: change.edit(value) } : 'add' in change ? change.add : {};
    const replaced = 'edit' in change || 'add' in change ? {} : change;
    const request = { ...signed, ...replaced, headers: { ...signed.headers, ...add } };
    expect(request).not.toEqual(signed);
    expect((await errorOf(request)).type).toBe(type);
  });

  test.each([
    ['another region', { region: 'eu-west-1' }, /to a valid region/],
    ['another service', { service: 'execute-api' }, /to correct service/],
    [
      'the hash of another body',
      { headers: { 'x-amz-content-sha256': createHash('sha256').update('{}').digest('hex') } },
      /does not match/,
    ],
  ])('if the signature was made for %s', async (_, options, message) => {
    const error = await errorOf(await sign(options));
    expect([error.type, error.message]).toEqual([
      'InvalidSignatureException',
      expect.stringMatching(message),
    ]);
  });

  test('with a clock difference of more than five minutes, or with an expired key', async () => {
    for (const sign of [1, -1]) {
      expect(await verify(signed, NOW + sign * 5 * MINUTE)).toBe(key);
      const { message } = await errorOf(signed, NOW + sign * (5 * MINUTE + 1));
      expect(message).toMatch(sign > 0 ? /^Signature expired: / : /^Signature not yet current: /);
    }
    expect((await errorOf(signed, key.expiration)).type).toBe('ExpiredTokenException');
  });
});

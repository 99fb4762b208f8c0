import { SignatureV4 } from '@aws-sdk/signature-v4';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  canonicalRequest,
  sha256Hex,
  signatureOf,
  stringToSign,
  type WireRequest,
} from '../../sigv4/canonical-request.ts';
import { SignatureError, type SignatureErrorType } from '../../sigv4/signature-headers.ts';
import { type AccessKey, verifySignature } from '../../sigv4/sigv4-verifier.ts';
import { Sha256 } from '../support/signed-fetch.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const REGION = 'eu-central-1';
const credentials = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE+/==',
};
const key = { ...credentials, expiration: NOW + 3_600_000 };
const BODY = JSON.stringify({
  query: '{ listMessages { items { content } } }',
  variables: { text: 'ﷺ 🎈' },
});

const EMPTY = Buffer.from('{}');
const SIGNED_WITH_HASH = ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];

describe('a signed request', () => {
  let signed: WireRequest;
  beforeAll(async () => {
    signed = {
      method: 'POST',
      rawPath: '/graphql?a=1',
      rawHeaders: ['Host', 'api.example.com', ...Object.entries(await signWithSmithy()).flat()],
      body: Buffer.from(BODY),
    };
  });

  test('is accepted when it is not modified', () => {
    expect(verify(signed)).toBe(key);
  });

  type Change = (request: WireRequest) => WireRequest;
  const modifications: Partial<Record<SignatureErrorType, Record<string, Change>>> = {
    InvalidSignatureException: {
      'another method': (r) => ({ ...r, method: 'GET' }),
      'another path': (r) => ({ ...r, rawPath: '/graphql2?a=1' }),
      'another query': (r) => ({ ...r, rawPath: '/graphql?a=2' }),
      'one more parameter': (r) => ({ ...r, rawPath: '/graphql?a=1&b=2' }),
      'another body': (r) => ({ ...r, body: Buffer.from(`${BODY} `) }),
      'no body': (r) => ({ ...r, body: Buffer.alloc(0) }),
      'another body and its hash': (r) =>
        changeHeader({ ...r, body: EMPTY }, 'x-amz-content-sha256', () => sha256Hex(EMPTY)),
      'an unsigned payload': (r) => changeHeader(r, 'x-amz-content-sha256', () => 'UNSIGNED-PAYLOAD'),
      'another host': (r) => changeHeader(r, 'host', () => 'evil.example'),
      'another content type': (r) => changeHeader(r, 'content-type', () => 'text/plain'),
      'a second host': (r) => addHeader(r, 'Host', 'evil.example'),
      'an unsigned x-amz- header': (r) => addHeader(r, 'X-Amz-Meta', '1'),
      'a signed header missing': (r) => removeHeader(r, 'content-type'),
      'a flipped signature': (r) => authorization(r, flipLast),
      'a shortened signature': (r) => authorization(r, (value) => value.slice(0, -2)),
      'the signature in upper case': (r) => authorization(r, upperCaseSignature),
      'fewer headers signed': (r) => authorization(r, replacing('content-type;', '')),
      'another region': (r) => authorization(r, replacing(REGION, 'eu-west-1')),
      'another service': (r) => authorization(r, replacing('/appsync/', '/execute-api/')),
      'another terminator': (r) => authorization(r, replacing('aws4_request', 'aws5_request')),
      'another time': (r) => changeHeader(r, 'x-amz-date', () => '20261121T100001Z'),
    },
    UnrecognizedClientException: {
      'an unknown key': (r) => authorization(r, replacing('ASIAEXAMPLE', 'ASIAANOTHER')),
      'another session token': (r) => changeHeader(r, 'x-amz-security-token', flipLast),
      'no session token': (r) => removeHeader(r, 'x-amz-security-token'),
    },
    IncompleteSignatureException: {
      'no time': (r) => removeHeader(r, 'x-amz-date'),
      'a time in HTTP date format': (r) =>
        changeHeader(r, 'x-amz-date', () => 'Sat, 21 Nov 2026 10:00:00 GMT'),
      'an invalid time': (r) => changeHeader(r, 'x-amz-date', () => '20261321T100000Z'),
      'another algorithm': (r) => authorization(r, replacing('HMAC-SHA256', 'HMAC-SHA1')),
      'no signature': (r) => authorization(r, replacing(/, Signature=.*/, '')),
      'no signed headers': (r) => authorization(r, replacing(/SignedHeaders=[^,]*, /, '')),
      'no credential': (r) => authorization(r, replacing(/Credential=[^,]*, /, '')),
      'a credential without a scope': (r) => authorization(r, replacing(/\/[^,]*,/, ',')),
      'no authorization': (r) => removeHeader(r, 'authorization'),
      'two authorizations': (r) => addHeader(r, 'Authorization', 'AWS4-HMAC-SHA256 Signature=0'),
    },
  };
  const changes = Object.entries(modifications).flatMap(([type, cases]) =>
    Object.entries(cases).map(([what, change]) => ({ what, change, type })),
  );

  test.each(changes)('with $what is rejected', ({ change, type }) => {
    const changed = change(signed);
    expect(changed).not.toEqual(signed);
    expect(signatureErrorOf(() => verify(changed)).type).toBe(type);
  });

  test('signed with another secret is rejected', () => {
    const other = { ...key, secretAccessKey: `${key.secretAccessKey.slice(0, -1)}X` };
    expect(signatureErrorOf(() => verify(signed, { findAccessKey: () => other })).type).toBe(
      'InvalidSignatureException',
    );
  });

  test('signed with an expired access key is rejected', () => {
    const expired = { ...key, expiration: NOW };
    expect(signatureErrorOf(() => verify(signed, { findAccessKey: () => expired })).type).toBe(
      'ExpiredTokenException',
    );
  });

  test('is accepted with a clock difference of up to five minutes', () => {
    for (const sign of [1, -1]) {
      expect(verify(signed, { now: NOW + sign * 300_000 })).toBe(key);
      const late = signatureErrorOf(() => verify(signed, { now: NOW + sign * 301_000 }));
      expect(late.type).toBe('InvalidSignatureException');
      expect(late.message).toMatch(sign > 0 ? /^Signature expired: / : /^Signature not yet current: /);
    }
  });

  test('gets an error that contains the expected canonical request', () => {
    const { message } = signatureErrorOf(() => verify({ ...signed, method: 'PUT' }));
    expect(message).toContain(
      "The Canonical String for this request should have been\n'PUT\n/graphql\na=1\n",
    );
  });
});

describe('a signature', () => {
  const timestamp = '20261121T100000Z';
  const scope = { date: '20261121', region: REGION, service: 'appsync' };
  const headers = ['host', 'x-amz-date', 'x-amz-security-token'];

  function signWithoutChecks(names: readonly string[], at = scope, extra: string[] = []): WireRequest {
    const { sessionToken, accessKeyId, secretAccessKey } = key;
    const request = {
      method: 'POST',
      rawPath: '/graphql',
      rawHeaders: [
        ...['Host', 'api.example.com', 'X-Amz-Date', timestamp, 'X-Amz-Security-Token', sessionToken],
        ...extra,
      ],
      body: Buffer.from(BODY),
    };
    const canonical = canonicalRequest(request, names, sha256Hex(request.body));
    const signature = signatureOf(stringToSign(canonical, timestamp, at), secretAccessKey, at);
    const credential = `${accessKeyId}/${at.date}/${at.region}/${at.service}/aws4_request`;
    const parameters = `Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return addHeader(request, 'Authorization', `AWS4-HMAC-SHA256 ${parameters}`);
  }

  test('of all required headers is accepted', () => {
    expect(verify(signWithoutChecks(headers))).toBe(key);
  });

  test.each([
    [
      'without the host header',
      () => signWithoutChecks(headers.slice(1)),
      /'Host' .* must be a 'SignedHeader'/,
    ],
    ['with unsorted header names', () => signWithoutChecks([...headers].reverse()), /does not match/],
    ['with a duplicate header name', () => signWithoutChecks(['host', ...headers]), /does not match/],
    [
      'for another day',
      () => signWithoutChecks(headers, { ...scope, date: '20261120' }),
      /'20261120' != '20261121'/,
    ],
    [
      'with the hash of another body',
      () => signWithoutChecks(SIGNED_WITH_HASH, scope, ['X-Amz-Content-Sha256', sha256Hex(EMPTY)]),
      /does not match/,
    ],
  ])('%s is rejected', (_, request, message) => {
    const { type, message: actual } = signatureErrorOf(() => verify(request()));
    expect(type).toBe('InvalidSignatureException');
    expect(actual).toMatch(message);
  });
});

function authorization(request: WireRequest, change: (value: string) => string): WireRequest {
  return changeHeader(request, 'authorization', change);
}

function replacing(part: string | RegExp, replacement: string): (value: string) => string {
  return (value) => value.replace(part, replacement);
}

function flipLast(value: string): string {
  return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
}

function upperCaseSignature(value: string): string {
  return value.replace(/Signature=.*/, (part) => `Signature=${part.slice(10).toUpperCase()}`);
}

/** Verifies a request as the local cloud does. */
function verify(
  request: WireRequest,
  changes: { now?: number; findAccessKey?: () => AccessKey } = {},
): AccessKey {
  return verifySignature<AccessKey>(request, {
    region: REGION,
    service: 'appsync',
    now: NOW,
    findAccessKey: (id) => (id === key.accessKeyId ? key : undefined),
    ...changes,
  });
}

/** Returns the SignatureError that `verification` throws. Throws when it succeeds. */
function signatureErrorOf(verification: () => unknown): SignatureError {
  try {
    verification();
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
  throw new Error('The signature was accepted');
}

/** Returns the headers of a signed POST of `BODY` to `/graphql?a=1` of api.example.com, without the host. */
async function signWithSmithy(): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials,
    region: REGION,
    service: 'appsync',
    sha256: Sha256,
    applyChecksum: true,
  });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: 'api.example.com',
      path: '/graphql',
      query: { a: '1' },
      headers: { host: 'api.example.com', 'content-type': 'application/json' },
      body: BODY,
    },
    { signingDate: new Date(NOW) },
  );
  const { host: _, ...headers } = signed.headers;
  return headers;
}

/** Returns a copy of the request in which the header's value is changed. */
function changeHeader(request: WireRequest, name: string, change: (value: string) => string): WireRequest {
  const { rawHeaders } = request;
  return {
    ...request,
    rawHeaders: rawHeaders.map((item, at) =>
      at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name ? change(item) : item,
    ),
  };
}

/** Returns a copy of the request without the header. */
function removeHeader(request: WireRequest, name: string): WireRequest {
  const { rawHeaders } = request;
  return {
    ...request,
    rawHeaders: rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== name),
  };
}

/** Returns a copy of the request with another header, also where one of this name exists. */
function addHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, rawHeaders: [...request.rawHeaders, name, value] };
}

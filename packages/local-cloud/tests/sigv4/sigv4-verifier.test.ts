import { describe, expect, test } from 'vitest';
import {
  canonicalRequest,
  sha256Hex,
  signatureOf,
  stringToSign,
  type WireRequest,
} from '../../sigv4/canonical-request.ts';
import { SignatureError, type SignatureErrorType } from '../../sigv4/signature-headers.ts';
import { type AccessKey, verifySignature } from '../../sigv4/sigv4-verifier.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const TIMESTAMP = '20261121T100000Z';
const SCOPE = { date: '20261121', region: 'eu-central-1', service: 'appsync' };
const BODY = '{"query":"{ listMessages { nextToken } }"}';
const SIGNED_HEADERS = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token'];

const key = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE+/==',
  expiration: NOW + 3_600_000,
};

/** Returns a signed request. The test suite of AWS shows that the signature is calculated correctly. */
function sign({ signedHeaders = SIGNED_HEADERS, scope = SCOPE, headers = [] as string[] } = {}): WireRequest {
  const request = {
    method: 'POST',
    rawPath: '/graphql?a=1',
    rawHeaders: [
      ...['Host', 'api.example.com', 'Content-Type', 'application/json', 'X-Amz-Date', TIMESTAMP],
      ...['X-Amz-Security-Token', key.sessionToken, ...headers],
    ],
    body: Buffer.from(BODY),
  };
  const canonical = canonicalRequest(request, signedHeaders, sha256Hex(request.body));
  const signature = signatureOf(stringToSign(canonical, TIMESTAMP, scope), key.secretAccessKey, scope);
  const credential = `${key.accessKeyId}/${scope.date}/${scope.region}/${scope.service}/aws4_request`;
  const parameters = `Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  return addHeader(request, 'Authorization', `AWS4-HMAC-SHA256 ${parameters}`);
}

describe('a signed request', () => {
  const signed = sign();

  test('is accepted when it is not modified', () => {
    expect(verify(signed)).toBe(key);
  });

  type Change = (request: WireRequest) => WireRequest;
  const modifications: Partial<Record<SignatureErrorType, Record<string, Change>>> = {
    InvalidSignatureException: {
      'another method': (r) => ({ ...r, method: 'GET' }),
      'another path': (r) => ({ ...r, rawPath: '/graphql2?a=1' }),
      'another query': (r) => ({ ...r, rawPath: '/graphql?a=2' }),
      'another body': (r) => ({ ...r, body: Buffer.from(`${BODY} `) }),
      'another host': (r) => changeHeader(r, 'host', () => 'evil.example'),
      'another content type': (r) => changeHeader(r, 'content-type', () => 'text/plain'),
      'an unsigned x-amz- header': (r) => addHeader(r, 'X-Amz-Meta', '1'),
      'a signed header missing': (r) => removeHeader(r, 'content-type'),
      'a flipped signature': (r) => authorization(r, flipLast),
      'fewer headers signed': (r) => authorization(r, replacing('content-type;', '')),
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
      'a credential without a scope': (r) => authorization(r, replacing(/\/[^,]*,/, ',')),
      'two authorizations': (r) => addHeader(r, 'Authorization', 'AWS4-HMAC-SHA256 Signature=0'),
    },
  };
  const changes = Object.entries(modifications).flatMap(([type, cases]) =>
    Object.entries(cases).map(([what, change]) => ({ what, change, type })),
  );

  test.each(changes)('with $what is rejected', ({ change, type }) => {
    const changed = change(signed);
    expect(changed).not.toEqual(signed);
    expect(signatureErrorOf(changed).type).toBe(type);
  });

  test.each([
    [
      'without the host header',
      { signedHeaders: SIGNED_HEADERS.filter((name) => name !== 'host') },
      /'Host' .* must be a 'SignedHeader'/,
    ],
    ['with unsorted header names', { signedHeaders: SIGNED_HEADERS.toReversed() }, /does not match/],
    ['with a duplicate header name', { signedHeaders: ['host', ...SIGNED_HEADERS] }, /does not match/],
    [
      'for another region',
      { scope: { ...SCOPE, region: 'eu-west-1' } },
      /to a valid region, not 'eu-west-1'/,
    ],
    ['for another service', { scope: { ...SCOPE, service: 'execute-api' } }, /correct service: 'appsync'/],
    ['for another day', { scope: { ...SCOPE, date: '20261120' } }, /'20261120' != '20261121'/],
    [
      'with the hash of another body',
      {
        signedHeaders: ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'],
        headers: ['X-Amz-Content-Sha256', sha256Hex(Buffer.from('{}'))],
      },
      /does not match/,
    ],
  ])('whose signature was made %s is rejected', (_, options, message) => {
    const error = signatureErrorOf(sign(options));
    expect(error.type).toBe('InvalidSignatureException');
    expect(error.message).toMatch(message);
  });

  test('is accepted with a clock difference of up to five minutes', () => {
    for (const sign of [1, -1]) {
      expect(verify(signed, NOW + sign * 300_000)).toBe(key);
      const late = signatureErrorOf(signed, NOW + sign * 301_000);
      expect(late.type).toBe('InvalidSignatureException');
      expect(late.message).toMatch(sign > 0 ? /^Signature expired: / : /^Signature not yet current: /);
    }
  });

  test('gets an error that contains the expected canonical request', () => {
    expect(signatureErrorOf({ ...signed, method: 'PUT' }).message).toContain(
      "The Canonical String for this request should have been\n'PUT\n/graphql\na=1\n",
    );
  });
});

/** Verifies a request as the local cloud does. */
function verify(request: WireRequest, now = NOW): AccessKey {
  const findAccessKey = (id: string) => (id === key.accessKeyId ? key : undefined);
  return verifySignature<AccessKey>(request, {
    region: SCOPE.region,
    service: SCOPE.service,
    now,
    findAccessKey,
  });
}

/** Returns the error of the verification. Throws when the request is accepted. */
function signatureErrorOf(request: WireRequest, now = NOW): SignatureError {
  try {
    verify(request, now);
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
  throw new Error('The signature was accepted');
}

function authorization(request: WireRequest, change: (value: string) => string): WireRequest {
  return changeHeader(request, 'authorization', change);
}

function replacing(part: string | RegExp, replacement: string): (value: string) => string {
  return (value) => value.replace(part, replacement);
}

function flipLast(value: string): string {
  return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
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

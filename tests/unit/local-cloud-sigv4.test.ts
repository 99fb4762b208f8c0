import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import aws4 from 'aws4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex, type WireRequest } from '../../local-cloud/canonical-request.ts';
import {
  type AccessKey,
  SignatureError,
  type SignatureErrorType,
  verifySignature,
} from '../../local-cloud/sigv4-verifier.ts';
import { adding, headerOf, Sha256, signedHeadersOf, withHeader, without } from '../support/wire-requests.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const REGION = 'eu-central-1';
const credentials = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE+/==',
};
const key = { ...credentials, expiration: NOW + 3_600_000 };
const EMPTY = Buffer.from('{}');
const BODY = JSON.stringify({ query: '{ listMessages { items { content } } }', variables: { text: 'ﷺ 🎈' } });

describe('a request over HTTP', () => {
  const received: WireRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      method: request.method ?? '',
      rawPath: request.url ?? '',
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
    });
    response.end();
  });
  let host = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    host = `127.0.0.1:${port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function overTheWire(path: string, init: RequestInit): Promise<WireRequest> {
    await fetch(`http://${host}${path}`, init);
    const request = received.pop();
    if (!request) throw new Error('Nothing arrived.');
    return request;
  }

  const paths = [
    '/graphql',
    '/graphql?b=2&a=1&a=0&plus=a+b&empty',
    '/a%20b/%E2%9C%93/../c//d/?q=%2F%20~',
    '/',
  ];

  test.each(paths)("signed by AWS's library for %s is accepted", async (path) => {
    const request = await overTheWire(path, await signWithSmithy(path, host));
    expect(verify(request)).toBe(key);
  });

  test.each(paths)('signed by aws4 for %s is accepted', async (path) => {
    const signed = aws4.sign(
      {
        host,
        path,
        method: 'POST',
        body: BODY,
        region: REGION,
        service: 'appsync',
        headers: { 'X-Amz-Date': '20261121T100000Z', 'Content-Type': 'application/json' },
      },
      key,
    );
    const headers = new Headers();
    for (const [name, value] of Object.entries(signed.headers ?? {})) {
      if (!/^(host|content-length)$/i.test(name)) headers.set(name, String(value));
    }
    const request = await overTheWire(signed.path ?? path, { method: 'POST', headers, body: BODY });
    expect(verify(request)).toBe(key);
  });
});

describe('a changed request', () => {
  let signed: WireRequest;
  beforeAll(async () => {
    const { headers } = await signWithSmithy('/graphql?a=1', 'api.example.com');
    signed = {
      method: 'POST',
      rawPath: '/graphql?a=1',
      rawHeaders: ['Host', 'api.example.com', ...Object.entries(headers).flat()],
      body: Buffer.from(BODY),
    };
  });

  test('is what the unchanged one is not: refused', () => {
    expect(verify(signed)).toBe(key);
  });

  type Change = (request: WireRequest) => WireRequest;
  const tampers: Partial<Record<SignatureErrorType, Record<string, Change>>> = {
    InvalidSignatureException: {
      'another method': (r) => ({ ...r, method: 'GET' }),
      'another path': (r) => ({ ...r, rawPath: '/graphql2?a=1' }),
      'another query': (r) => ({ ...r, rawPath: '/graphql?a=2' }),
      'one more parameter': (r) => ({ ...r, rawPath: '/graphql?a=1&b=2' }),
      'another body': (r) => ({ ...r, body: Buffer.from(`${BODY} `) }),
      'no body': (r) => ({ ...r, body: Buffer.alloc(0) }),
      'another body and its hash': (r) =>
        withHeader({ ...r, body: EMPTY }, 'x-amz-content-sha256', () => sha256Hex(EMPTY)),
      'a body declared to be unsigned': (r) =>
        withHeader(r, 'x-amz-content-sha256', () => 'UNSIGNED-PAYLOAD'),
      'another host': (r) => withHeader(r, 'host', () => 'evil.example'),
      'another content type': (r) => withHeader(r, 'content-type', () => 'text/plain'),
      'a second host': (r) => adding(r, 'Host', 'evil.example'),
      'an unsigned x-amz- header': (r) => adding(r, 'X-Amz-Meta', '1'),
      'a signed header missing': (r) => without(r, 'content-type'),
      'a flipped signature': (r) => authorization(r, flipLast),
      'a shortened signature': (r) => authorization(r, (value) => value.slice(0, -2)),
      'the signature in upper case': (r) => authorization(r, upperCaseSignature),
      'host not signed': (r) => authorization(r, replacing('host;', '')),
      'fewer headers signed': (r) => authorization(r, replacing('content-type;', '')),
      'signed headers out of order': (r) =>
        authorization(r, replacing('content-type;host', 'host;content-type')),
      'another region': (r) => authorization(r, replacing(REGION, 'eu-west-1')),
      'another service': (r) => authorization(r, replacing('/appsync/', '/execute-api/')),
      'another day': (r) => authorization(r, replacing('/20261121/', '/20261120/')),
      'another terminator': (r) => authorization(r, replacing('aws4_request', 'aws5_request')),
      'another time': (r) => withHeader(r, 'x-amz-date', () => '20261121T100001Z'),
    },
    UnrecognizedClientException: {
      'an unknown key': (r) => authorization(r, replacing('ASIAEXAMPLE', 'ASIAANOTHER')),
      'another session token': (r) => withHeader(r, 'x-amz-security-token', flipLast),
      'no session token': (r) => without(r, 'x-amz-security-token'),
    },
    IncompleteSignatureException: {
      'no time': (r) => without(r, 'x-amz-date'),
      'a time in words': (r) => withHeader(r, 'x-amz-date', () => 'Sat, 21 Nov 2026 10:00:00 GMT'),
      'a time that is none': (r) => withHeader(r, 'x-amz-date', () => '20261321T100000Z'),
      'another algorithm': (r) => authorization(r, replacing('HMAC-SHA256', 'HMAC-SHA1')),
      'no signature': (r) => authorization(r, replacing(/, Signature=.*/, '')),
      'no signed headers': (r) => authorization(r, replacing(/SignedHeaders=[^,]*, /, '')),
      'no credential': (r) => authorization(r, replacing(/Credential=[^,]*, /, '')),
      'a credential without a scope': (r) => authorization(r, replacing(/\/[^,]*,/, ',')),
      'no authorization': (r) => without(r, 'authorization'),
      'two authorizations': (r) => adding(r, 'Authorization', 'AWS4-HMAC-SHA256 Signature=0'),
    },
  };
  const changes = Object.entries(tampers).flatMap(([type, cases]) =>
    Object.entries(cases).map(([what, change]) => ({ what, change, type })),
  );

  test.each(changes)('with $what is refused', ({ change, type }) => {
    const changed = change(signed);
    expect(changed).not.toEqual(signed);
    expect(refusal(() => verify(changed)).type).toBe(type);
  });

  test('by a key with another secret is refused', () => {
    const other = { ...key, secretAccessKey: `${key.secretAccessKey.slice(0, -1)}X` };
    expect(refusal(() => verify(signed, { accessKey: () => other })).type).toBe('InvalidSignatureException');
  });

  test('by an expired key is refused', () => {
    const expired = { ...key, expiration: NOW };
    expect(refusal(() => verify(signed, { accessKey: () => expired })).type).toBe('ExpiredTokenException');
  });

  test('is accepted up to five minutes off, either way, and not a second more', () => {
    for (const sign of [1, -1]) {
      expect(verify(signed, { now: NOW + sign * 300_000 })).toBe(key);
      const late = refusal(() => verify(signed, { now: NOW + sign * 301_000 }));
      expect(late.type).toBe('InvalidSignatureException');
      expect(late.message).toMatch(sign > 0 ? /^Signature expired: / : /^Signature not yet current: /);
    }
  });

  test('is told what should have been signed', () => {
    const { message } = refusal(() => verify({ ...signed, method: 'PUT' }));
    expect(message).toContain(
      "The Canonical String for this request should have been\n'PUT\n/graphql\na=1\n",
    );
  });

  test('is refused by aws4 too, which accepts the unchanged one', () => {
    const names = signedHeadersOf(signed);
    const resign = (request: WireRequest) => {
      const headers = Object.fromEntries(names.map((name) => [name, headerOf(request, name)]));
      const unsigned = {
        method: request.method,
        path: request.rawPath,
        headers,
        body: request.body.toString(),
        region: REGION,
        service: 'appsync',
        extraHeadersToIgnore: { 'content-length': true },
      };
      return aws4.sign(unsigned, key).headers?.Authorization;
    };
    expect(resign(signed)).toBe(headerOf(signed, 'authorization'));
    expect(resign({ ...signed, method: 'PUT' })).not.toBe(headerOf(signed, 'authorization'));
  });
});

function verify(
  request: WireRequest,
  changes: { now?: number; accessKey?: () => AccessKey } = {},
): AccessKey {
  return verifySignature<AccessKey>(request, {
    region: REGION,
    service: 'appsync',
    now: NOW,
    accessKey: (id) => (id === key.accessKeyId ? key : undefined),
    ...changes,
  });
}

function refusal(attempt: () => unknown): SignatureError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}

async function signWithSmithy(
  path: string,
  host: string,
): Promise<{ method: string; headers: Record<string, string>; body: string }> {
  const url = new URL(`http://${host}`);
  const [pathname = '', query = ''] = path.split('?');
  const signer = new SignatureV4({
    credentials,
    region: REGION,
    service: 'appsync',
    sha256: Sha256,
    applyChecksum: true,
  });
  const parameters: Record<string, string[]> = {};
  for (const parameter of query.split('&').filter(Boolean)) {
    const [name = '', value = ''] = parameter.split('=').map(decodeURIComponent);
    parameters[name] = [...(parameters[name] ?? []), value];
  }
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: url.hostname,
      path: pathname,
      query: parameters,
      headers: { host, 'content-type': 'application/json' },
      body: BODY,
    },
    { signingDate: new Date(NOW) },
  );
  const { host: _, ...headers } = signed.headers;
  return { method: 'POST', headers, body: BODY };
}

function authorization(request: WireRequest, change: (value: string) => string): WireRequest {
  return withHeader(request, 'authorization', change);
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

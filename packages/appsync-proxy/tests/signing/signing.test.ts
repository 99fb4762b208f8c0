import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../../local-cloud/src/sigv4/signature.ts';
import { signRequest, type UnsignedRequest } from '../../src/signing/signing.ts';

const suite = new URL('../../../../tests/fixtures/aws-sigv4/', import.meta.url);

type Context = {
  credentials: { access_key_id: string; secret_access_key: string; token?: string };
  normalize: boolean;
  sign_body: boolean;
  omit_session_token?: boolean;
  region: string;
  service: string;
  timestamp: string;
};

function readCase(name: string) {
  const read = (file: string) => readFileSync(new URL(`${name}/${file}`, suite), 'utf8');
  const context: Context = JSON.parse(read('context.json'));
  const [head = '', body = ''] = read('request.txt').split(/\n\n([\s\S]*)/);
  const [requestLine = '', ...headerLines] = head.trimEnd().split('\n');
  const [, method = '', target = ''] = /^(\S+) (.*) HTTP\/1\.1$/.exec(requestLine) ?? [];
  return { name, context, method, target, headerLines, body, signature: read('header-signature.txt') };
}

type Case = ReturnType<typeof readCase>;

/** Returns the headers. Repeated names become one list (RFC 9110 section 5.3), and folded lines one value. */
function headersOf(headerLines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const unfolded = headerLines
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  for (const line of unfolded) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]},${value}` : value;
  }
  delete headers.host;
  return headers;
}

function toRequest({ context, method, target, headerLines, body }: Case): UnsignedRequest {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, token } = context.credentials;
  return {
    method,
    url: new URL(`https://example.amazonaws.com${target}`),
    headers: headersOf(headerLines),
    body,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(token && !context.omit_session_token ? { sessionToken: token } : {}),
    },
    region: context.region,
    service: context.service,
    signingDate: new Date(context.timestamp),
  };
}

const cases = readdirSync(suite, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => readCase(entry.name));

/** Vectors for S3 only, and with paths that a URL always encodes. */
const isOutOfScope = ({ context, name }: Case) =>
  !context.normalize || name === 'get-space-normalized' || name === 'get-utf8';

/** Returns the signature. Some vectors sign the hash of the body as a header that is not part of their request. */
async function signatureOf(vector: Case): Promise<string | undefined> {
  const request = toRequest(vector);
  if (vector.context.sign_body) {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(vector.body));
    request.headers['x-amz-content-sha256'] = Buffer.from(digest).toString('hex');
  }
  const { authorization = '' } = await signRequest(request);
  return /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1];
}

const graphqlCall: UnsignedRequest = {
  method: 'POST',
  url: new URL('https://abc.appsync-api.us-east-1.amazonaws.com/graphql'),
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{listMessages{items{id}}}', note: 'ä 世界' }),
  credentials: {
    accessKeyId: 'ASIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: 'session/token+with=odd characters',
  },
  region: 'us-east-1',
  service: 'appsync',
  signingDate: new Date('2026-11-21T09:00:00Z'),
};

describe('the signature', () => {
  const inScope = cases.filter((vector) => !isOutOfScope(vector));

  it('is compared for 29 of the 38 test vectors of AWS', () => {
    expect(cases).toHaveLength(38);
    expect(inScope).toHaveLength(29);
  });

  it.each(inScope)('equals the test vector $name', async (vector) => {
    expect(await signatureOf(vector)).toBe(vector.signature.trim());
  });

  it('covers the host with its port, every value of a repeated parameter, and the bytes of the body', async () => {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = graphqlCall.credentials;
    const url = new URL('/graphql?b=2&a=1&a=0&c=', 'https://abc.example.com:8443');
    const headers = await signRequest({ ...graphqlCall, url });
    expect(headers.host).toBe('abc.example.com:8443');
    const request = { method: 'POST', url, headers, body: Buffer.from(graphqlCall.body) };
    const key = { accessKeyId, secretAccessKey, sessionToken, expiration: Number.POSITIVE_INFINITY };
    const verify = (signed: typeof request) =>
      verifySignature(signed, {
        region: 'us-east-1',
        service: 'appsync',
        now: graphqlCall.signingDate.getTime(),
        findAccessKey: (id) => (id === accessKeyId ? key : undefined),
      });
    expect(await verify(request)).toBe(key);
    for (const change of [
      { url: new URL('/graphql?b=2&a=1&c=', url) },
      { headers: { ...headers, host: 'abc.example.com' } },
      { body: Buffer.from(`${graphqlCall.body} `) },
    ]) {
      await expect(verify({ ...request, ...change })).rejects.toThrow('does not match');
    }
  });

  it('covers the host and the session token', async () => {
    const headers = await signRequest(graphqlCall);
    expect(Object.keys(headers).sort()).toEqual([
      'authorization',
      'content-type',
      'host',
      'x-amz-date',
      'x-amz-security-token',
    ]);
    expect(headers.authorization).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,',
    );
  });

  it('does not modify the request', async () => {
    const before = structuredClone({ ...graphqlCall, url: graphqlCall.url.href });
    await signRequest(graphqlCall);
    expect({ ...graphqlCall, url: graphqlCall.url.href }).toEqual(before);
  });
});

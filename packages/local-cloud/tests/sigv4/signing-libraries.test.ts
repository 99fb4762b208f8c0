import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import aws4 from 'aws4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WireRequest } from '../../sigv4/canonical-request.ts';
import { BODY, key, REGION, signWithSmithy, verify } from '../support/sigv4-requests.ts';

describe('a request received over HTTP', () => {
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

  async function sendAndCapture(path: string, init: RequestInit): Promise<WireRequest> {
    await fetch(`http://${host}${path}`, init);
    const request = received.pop();
    if (!request) throw new Error('The server received no request.');
    return request;
  }

  const paths = [
    '/graphql',
    '/graphql?b=2&a=1&a=0&plus=a+b&empty',
    '/a%20b/%E2%9C%93/../c//d/?q=%2F%20~',
    '/',
  ];

  test.each(paths)("signed by AWS's library is accepted for the path %s", async (path) => {
    const request = await sendAndCapture(path, await signWithSmithy(path, host));
    expect(verify(request)).toBe(key);
  });

  test.each(paths)('signed by aws4 is accepted for the path %s', async (path) => {
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
    const request = await sendAndCapture(signed.path ?? path, { method: 'POST', headers, body: BODY });
    expect(verify(request)).toBe(key);
  });
});

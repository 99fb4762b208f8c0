import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../tests/support/processes/site.ts';
import { createResponseReader, generateLoad } from '../../load/built-in-generator.ts';

describe('the reader of responses', () => {
  const head = 'HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\n\r\n';

  it('returns the status when the body is complete', () => {
    const read = createResponseReader();
    expect([head.slice(0, 20), head.slice(20), 'he', 'llo'].map((text) => read(Buffer.from(text)))).toEqual([
      null,
      null,
      null,
      404,
    ]);
  });

  it('reads a chunked body up to its last chunk', () => {
    const read = createResponseReader();
    const chunks = ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '5\r\nhello\r\n', '0\r\n\r\n'];
    expect(chunks.map((text) => read(Buffer.from(text)))).toEqual([null, null, 200]);
  });
});

describe('the built-in load generator', () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/broken' ? 503 : 200).end();
  });
  afterEach(() => server.close());

  it('stops after the given number of responses and counts those that failed', async () => {
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    const requests = ['/', '/broken', '/', '/'].map((path) => ({ path, host: 'localhost' }));
    const result = await generateLoad({ port, requests, connections: 3, until: { responses: 40 } });
    expect(result).toMatchObject({ responses: 40, failed: 10 });
  });
});

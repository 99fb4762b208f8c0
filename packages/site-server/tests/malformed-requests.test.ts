import { describe, expect, it } from 'vitest';
import {
  CHUNKED,
  get,
  headOf,
  IMPATIENT,
  sendWithoutEnd,
  startConnectionServer,
} from '../../../tests/support/http/connection-server.ts';
import { parseStatuses } from '../../../tests/support/http/raw-socket.ts';

describe('a malformed request', () => {
  // threat-model: T-059
  it.each([
    ['an incomplete head', 'GET / HTTP/1.1\r\nhost: a\r\nx-slow: ', '408 Request Timeout'],
    ['an incomplete body', `${headOf('POST /', 'content-length: 9')}slow`, '408 Request Timeout'],
    [
      'a head of 40 kB',
      headOf('GET /', `cookie: ${'a'.repeat(40_000)}`),
      '431 Request Header Fields Too Large',
    ],
    [
      'endless chunk extensions',
      `${headOf('POST /', CHUNKED)}1;${'a'.repeat(20_000)}\r\n`,
      '413 Payload Too Large',
    ],
    ['bytes that are not HTTP', '\u0016\u0003\u0001\u0002 hello\r\n\r\n', '400 Bad Request'],
  ])(
    'with %s gets a short text with the headers of the site, and the connection ends',
    async (_what, bytes, status) => {
      const server = await startConnectionServer({ node: status.startsWith('408') ? IMPATIENT : {} });
      const [head = '', body = ''] = (await server.answerTo(bytes)).split('\r\n\r\n');
      const [statusLine, ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/)));
      const id = headers['x-request-id'];
      expect(statusLine).toBe(`HTTP/1.1 ${status}`);
      expect(body).toBe(`${status}\nRequest id: ${id}\n`);
      expect(headers).toMatchObject({
        connection: 'close',
        'cache-control': 'private, no-store',
        'content-security-policy': expect.stringMatching(/^default-src 'none'/),
        'content-type': 'text/plain; charset=utf-8',
        'content-length': String(body.length),
        'strict-transport-security': expect.stringMatching(/^max-age=/),
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      });
      expect(Date.parse(headers.date ?? '')).toBeGreaterThan(Date.now() - 60_000);
      expect(server.lines()).toMatchObject([
        {
          requestId: id,
          status: Number(status.slice(0, 3)),
          msg: 'malformed request',
          code: expect.stringMatching(/^(ERR|HPE)_/),
        },
      ]);
      expect(server.rejected).toEqual(['BadRequest']);
    },
  );

  // threat-model: T-060
  it('has its response after those of the valid requests before it', async () => {
    const { open, codes, begun } = await startConnectionServer();
    const wire = await open(`${headOf('POST /waiting', 'content-length: 2')}hi`);
    wire.write(`${get('/')}garbage\r\n\r\n`);
    await expect.poll(codes).toEqual(['HPE_INVALID_METHOD']);
    begun[0]?.writeHead(303).end();
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([303, 200, 400]);
  });

  // threat-model: T-060
  it('with an invalid body has it in place of a response', async () => {
    const { open, codes, begun } = await startConnectionServer();
    const wire = await open(`${get('/waiting')}${headOf('POST /', CHUNKED)}-1\r\n`);
    await expect.poll(codes).toEqual(['HPE_INVALID_CHUNK_SIZE']);
    begun[0]?.end('complete');
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([200, 400]);
  });

  // threat-model: T-060
  it('whose body does not arrive has it in place of a response, after the one before', async () => {
    const { open, codes, begun } = await startConnectionServer({ node: IMPATIENT });
    const wire = await open(`${get('/waiting')}${headOf('POST /', 'content-length: 9')}slow`);
    await expect.poll(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    begun[0]?.end('complete');
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([200, 408]);
  });

  it('gets no second response after one that has begun', async () => {
    const { answerTo } = await startConnectionServer({ node: IMPATIENT });
    const received = await answerTo(`${headOf('POST /begun', 'content-length: 9')}slow`);
    expect(parseStatuses(received)).toEqual([200]);
    expect(received).toMatch(/begun\r\n$/);
  });

  // threat-model: T-059
  it('is the last one of its connection, whatever follows', async () => {
    const { open, codes, begun } = await startConnectionServer({ node: IMPATIENT });
    const wire = await open('GET /waiting HTTP/1.1\r\nhost: a\r\nx: ', true);
    await expect.poll(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    wire.write('the rest\r\n\r\n');
    expect(parseStatuses(await sendWithoutEnd(wire, 'not HTTP', 20))).toEqual([408]);
    expect([begun.length, codes().length]).toEqual([0, 1]);
  });

  // threat-model: T-059
  it('may be one of hundreds that reach their limit of time together, while the server goes on', async () => {
    const { open, countLines } = await startConnectionServer({ node: IMPATIENT });
    const wires = await Promise.all(Array.from({ length: 300 }, () => open('GET / HTTP/1.1\r\n')));
    let mostInOneRound = 0;
    for (let before = 0; before < wires.length; before = countLines()) {
      await new Promise(setImmediate);
      mostInOneRound = Math.max(mostInOneRound, countLines() - before);
    }
    expect(mostInOneRound).toBe(1);
    for (const wire of wires) expect(parseStatuses(await wire.readUntilClosed())).toEqual([408]);
  });
});

it('a connection that the client resets is not logged', async () => {
  const { openUnread, begun, lines } = await startConnectionServer();
  const socket = await openUnread(get('/waiting'));
  await expect.poll(() => begun.length).toBe(1);
  socket.resetAndDestroy();
  await expect.poll(() => begun[0]?.closed).toBe(true);
  expect(lines()).toEqual([]);
});

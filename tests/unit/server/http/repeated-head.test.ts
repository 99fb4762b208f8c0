import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toRepeatedHead, writeRepeatedHead } from '../../../../app/server/http/repeated-head.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const BODY = 'a page';
const HEADERS = ['etag', 'W/"x"', 'set-cookie', 'a=b', 'content-length', String(BODY.length)];

/** A server that sends one page; `before` sees each answer first. */
async function serve(before: RequestListener = () => {}) {
  const head = toRepeatedHead(HEADERS);
  const server = createServer((request, response) => {
    before(request, response);
    writeRepeatedHead(response, randomUUID(), head);
    response.end(request.method === 'HEAD' ? undefined : BODY);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  /** What comes back over a connection of its own for these bytes, until the server closes it. */
  return (bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const ID = /x-request-id: ([0-9a-f-]{36})\r\n/g;

/** The answers that were sent one after the other, with ids and dates made alike. */
function answersIn(bytes: string): string[] {
  return bytes
    .split(/(?=HTTP\/1\.1 )/)
    .map((answer) => answer.replace(ID, 'x-request-id: ID\r\n').replace(/Date: .*\r\n/, 'Date: DATE\r\n'));
}

describe('a head that is sent again and again', () => {
  it('is what Node would write, each time, also for requests that come all at once', async () => {
    const ask = await serve();
    const answers = answersIn(await ask(GET + GET + GET + LAST));
    const usual = [
      'HTTP/1.1 200 OK',
      'x-request-id: ID',
      'etag: W/"x"',
      'set-cookie: a=b',
      'content-length: 6',
      'Date: DATE',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
      '',
      BODY,
    ].join('\r\n');
    const last = usual.replace('keep-alive\r\nKeep-Alive: timeout=5', 'close');
    expect(answers).toEqual([usual, usual, usual, last]);
  });

  it('has its own id each time', async () => {
    const ask = await serve();
    const ids = [...(await ask(GET + GET + GET + LAST)).matchAll(ID)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('has no body for HEAD, before and after it was sent with one', async () => {
    const ask = await serve();
    const HEAD = GET.replace('GET', 'HEAD');
    const bodies = answersIn(await ask(HEAD + GET + HEAD + LAST)).map(
      (answer) => answer.split('\r\n\r\n')[1],
    );
    expect(bodies).toEqual(['', BODY, '', BODY]);
  });

  it('says that the connection closes to whom it does, and to nobody else', async () => {
    const ask = await serve();
    const connectionOf = async (bytes: string) =>
      answersIn(await ask(bytes)).map((answer) => /Connection: (.*)\r/i.exec(answer)?.[1]);
    expect(await connectionOf('GET / HTTP/1.0\r\n\r\n')).toEqual(['close']);
    expect(await connectionOf(GET + LAST)).toEqual(['keep-alive', 'close']);
    expect(await connectionOf('GET / HTTP/1.0\r\n\r\n')).toEqual(['close']);
    expect(await connectionOf(GET + LAST)).toEqual(['keep-alive', 'close']);
  });

  it('has what somebody else has set for one answer, in that answer alone', async () => {
    let answers = 0;
    const ask = await serve((_request, response) => {
      answers += 1;
      if (answers === 2) response.setHeader('x-own', 'yes');
    });
    const owns = answersIn(await ask(GET + GET + GET + LAST)).map((answer) => answer.includes('x-own: yes'));
    expect(owns).toEqual([false, true, false, false]);
  });

  it('tells the time', async () => {
    const ask = await serve();
    const dateOf = async () => /Date: (.*)\r/.exec(await ask(GET + LAST))?.[1] ?? '';
    const first = await dateOf();
    await vi.waitFor(async () => expect(await dateOf()).not.toBe(first), { timeout: 3000 });
    expect(Math.abs(Date.parse(await dateOf()) - Date.now())).toBeLessThan(2500);
  });

  it('is written as usual by a Node that keeps no text of it', () => {
    const writeHead = vi.fn();
    const response = { shouldKeepAlive: true, getHeaderNames: () => [], writeHead };
    const head = toRepeatedHead(HEADERS);
    for (const id of ['one', 'two']) writeRepeatedHead(response as unknown as ServerResponse, id, head);
    expect(writeHead.mock.calls).toEqual([
      [200, ['x-request-id', 'one', ...HEADERS]],
      [200, ['x-request-id', 'two', ...HEADERS]],
    ]);
  });
});

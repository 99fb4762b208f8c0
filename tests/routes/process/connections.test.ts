import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawSocket, parseStatuses } from '../../support/http/raw-socket.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';

const BURST = 1000;
/** Linux alone says so here; others hold fewer connections unless they are told to. */
const KERNEL_LIMIT = '/proc/sys/net/core/somaxconn';
const kernelHolds = existsSync(KERNEL_LIMIT) ? Number(readFileSync(KERNEL_LIMIT, 'utf8')) : 0;

let stack: Stack;
let host = '';

beforeAll(async () => {
  stack = await startStack();
  host = new URL(stack.site.origin).host;
}, 30_000);
afterAll(() => stack.stop());

/** What comes back for these lines, up to the end of the connection. */
async function answerTo(...lines: string[]): Promise<string> {
  const wire = await openRawSocket(stack.site.origin);
  wire.write(lines.join('\r\n'));
  return wire.readUntilClosed();
}

/** Told apart from the answer to what is around it: nothing else here answers 200 with French. */
const smuggled = () => `GET /fr HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
const post = () => ['POST /preferences HTTP/1.1', `host: ${host}`, 'sec-fetch-site: same-origin'];

describe('a request whose end can be read in two ways', () => {
  // threat-model: T-060
  it.each<[string, () => string[]]>([
    [
      'a length and chunks',
      () => [...post(), 'content-length: 5', 'transfer-encoding: chunked', '', '0', '', ''],
    ],
    [
      'chunks and a length',
      () => [...post(), 'transfer-encoding: chunked', 'content-length: 5', '', '0', '', ''],
    ],
    ['two lengths', () => [...post(), 'content-length: 0', 'content-length: 60', '', '']],
    ['two lengths in one', () => [...post(), 'content-length: 0, 60', '', '']],
    ['a signed length', () => [...post(), 'content-length: +5', '', '']],
    ['a length in hexadecimal', () => [...post(), 'content-length: 0x5', '', '']],
    ['an encoding after chunks', () => [...post(), 'transfer-encoding: chunked, identity', '', '0', '', '']],
    ['an encoding that is none', () => [...post(), 'transfer-encoding: xchunked', '', '0', '', '']],
    ['a space before the colon', () => [...post(), 'content-length : 5', '', '']],
    ['a folded line', () => [...post(), 'x-folded: a', ' content-length: 60', '', '']],
    ['a line that ends in CR alone', () => [...post(), 'x-a: b\rcontent-length: 60', '', '']],
    ['a NUL in a header', () => [...post(), 'x-a: b\u0000', '', '']],
    ['a chunk’s length that is none', () => [...post(), 'transfer-encoding: chunked', '', '-1', '', '']],
    [
      'a chunk longer than it says',
      () => [...post(), 'transfer-encoding: chunked', '', '1', 'abc', '0', '', ''],
    ],
    ['an address with a space in it', () => [`GET / /fr HTTP/1.1`, `host: ${host}`, '', '']],
    ['another protocol', () => ['GET / HTTP/9.9', `host: ${host}`, '', '']],
  ])('is refused with 400, and nothing after it is heard: %s', async (_what, lines) => {
    const received = await answerTo(...lines()).then(async (first) => {
      const second = await answerTo(...lines().slice(0, -1), smuggled());
      return [first, second];
    });
    for (const answer of received) {
      expect(parseStatuses(answer)).toEqual([400]);
      expect(answer).toMatch(/^x-request-id: /im);
      expect(answer).not.toContain('lang="fr');
    }
  });

  // threat-model: T-060
  it('by its host is refused: two of them, none, and one in the address', async () => {
    const close = 'connection: close';
    for (const lines of [
      ['GET /fr HTTP/1.1', `host: ${host}`, 'host: evil.example', close, '', ''],
      ['GET /fr HTTP/1.1', `host: ${host}`, `host: ${host}`, close, '', ''],
      ['GET /fr HTTP/1.1', close, '', ''],
      ['GET http://evil.example/fr HTTP/1.1', `host: ${host}`, close, '', ''],
      ['GET /fr HTTP/1.0', '', ''],
    ]) {
      const [status] = parseStatuses(await answerTo(...lines));
      expect([400, 421], lines.join(' ')).toContain(status);
    }
  });

  it('by what browsers say of its origin is refused', async () => {
    const lines = [...post(), 'sec-fetch-site: cross-site', 'content-length: 0', 'connection: close', '', ''];
    expect(parseStatuses(await answerTo(...lines))).toEqual([403]);
  });
});

it('answers requests that come in one piece, each by itself and in order', async () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`;
  const received = await answerTo(get('/ja') + get('/nowhere') + get('/fr', 'connection: close\r\n'));
  expect(parseStatuses(received)).toEqual([200, 404, 200]);
  expect(received.indexOf('lang="ja')).toBeLessThan(received.indexOf('lang="fr'));
});

// threat-model: T-059
it.skipIf(kernelHolds < BURST /* the kernel's limit, not the site's */)(
  'takes a thousand connections that came while it was busy',
  async () => {
    const { hostname, port } = new URL(stack.site.origin);
    let connected = 0;
    stack.site.signal('SIGSTOP');
    const sockets = Array.from({ length: BURST }, () =>
      connect({ host: hostname, port: Number(port) }, () => void connected++).on('error', () => {}),
    );
    try {
      // What finds no place is tried again after a second.
      await expect.poll(() => connected, { timeout: 900 }).toBe(BURST);
    } finally {
      stack.site.signal('SIGCONT');
      for (const socket of sockets) socket.destroy();
    }
    expect((await fetch(`${stack.site.origin}/healthz`)).status).toBe(200);
  },
);

// threat-model: T-059
it('serves others while two hundred connections say nothing', async () => {
  const silent = await Promise.all(Array.from({ length: 200 }, () => openRawSocket(stack.site.origin)));
  for (const wire of silent) wire.write('GET / HTTP/1.1\r\nhost:');
  const startedAt = performance.now();
  const response = await fetch(`${stack.site.origin}/ar`);
  expect(response.status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(2000);
  // A head may take ten seconds.
  const [first] = silent;
  expect(parseStatuses((await first?.readUntilClosed(15_000)) ?? '')).toEqual([408]);
  for (const wire of silent) wire.destroy();
}, 30_000);

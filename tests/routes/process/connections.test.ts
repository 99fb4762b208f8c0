import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultLocale, localizePath } from '../../../app/i18n/locales.ts';
import { openRawSocket, parseStatuses } from '../../support/http/raw-socket.ts';
import { another, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const BURST = 1000;
/** The kernel's limit on Linux. Other systems have lower limits by default and no such file. */
const KERNEL_LIMIT = '/proc/sys/net/core/somaxconn';
const kernelLimit = existsSync(KERNEL_LIMIT) ? Number(readFileSync(KERNEL_LIMIT, 'utf8')) : 0;

const stack = setUpStack();
let host = '';

beforeAll(() => {
  host = new URL(stack.site.origin).host;
});

/** Sends the lines and returns everything received until the connection is closed. */
async function sendLines(...lines: string[]): Promise<string> {
  const wire = await openRawSocket(stack.site.origin);
  wire.write(lines.join('\r\n'));
  return wire.readUntilClosed(40_000);
}

/** A second request that is recognized by its response: no other request here is for a page in that language. */
const smuggled = () => `GET ${otherHome} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
const post = (...lines: string[]) => [
  ...['POST /preferences HTTP/1.1', `host: ${host}`, 'sec-fetch-site: same-origin'],
  ...lines,
];
const CHUNKED = 'transfer-encoding: chunked';

describe('a malformed or ambiguous request', () => {
  // threat-model: T-060
  it.each<[string, () => string[]]>([
    ['a length and chunks', () => post('content-length: 5', CHUNKED, '', '0', '', '')],
    ['two lengths', () => post('content-length: 0', 'content-length: 60', '', '')],
    ['a length in hexadecimal', () => post('content-length: 0x5', '', '')],
    ['an encoding after chunks', () => post(`${CHUNKED}, identity`, '', '0', '', '')],
    ['an unknown encoding', () => post('transfer-encoding: xchunked', '', '0', '', '')],
    ['a space before the colon', () => post('content-length : 5', '', '')],
    ['a folded line', () => post('x-folded: a', ' content-length: 60', '', '')],
    ['a line that ends with a single CR', () => post('x-a: b\rcontent-length: 60', '', '')],
    ['a chunk longer than its length', () => post(CHUNKED, '', '1', 'abc', '0', '', '')],
    ['a path with a space', () => [`GET / ${otherHome} HTTP/1.1`, `host: ${host}`, '', '']],
  ])('is rejected with 400, and no request after it is processed: %s', async (_name, lines) => {
    for (const sent of [lines(), [...lines().slice(0, -1), smuggled()]]) {
      const response = await sendLines(...sent);
      expect(parseStatuses(response)).toEqual([400]);
      expect(response).toMatch(/^x-request-id: /im);
      expect(response).not.toContain(`lang="${other.iso}`);
    }
  });

  // threat-model: T-060
  it('is rejected for its host: two hosts, no host, or a host in the request line', async () => {
    const close = 'connection: close';
    for (const lines of [
      [`GET ${otherHome} HTTP/1.1`, `host: ${host}`, 'host: evil.example', close, '', ''],
      [`GET ${otherHome} HTTP/1.1`, `host: ${host}`, `host: ${host}`, close, '', ''],
      [`GET ${otherHome} HTTP/1.1`, close, '', ''],
      [`GET http://evil.example${otherHome} HTTP/1.1`, `host: ${host}`, close, '', ''],
      [`GET ${otherHome} HTTP/1.0`, '', ''],
    ]) {
      const [status] = parseStatuses(await sendLines(...lines));
      expect([400, 421], lines.join(' ')).toContain(status);
    }
  });

  it('is accepted with the host of the site in the request line, whatever other host it names', async () => {
    const lines = [
      `GET http://${host}${otherHome} HTTP/1.1`,
      'host: evil.example',
      'connection: close',
      '',
      '',
    ];
    const response = await sendLines(...lines);
    expect(parseStatuses(response)).toEqual([200]);
    expect(response).toContain(`lang="${other.iso}`);
    expect(response).not.toContain('evil.example');
    const options = await sendLines('OPTIONS * HTTP/1.1', `host: ${host}`, 'connection: close', '', '');
    expect(parseStatuses(options)).toEqual([405]);
    expect(options).toMatch(/^allow: GET, HEAD, POST\r$/im);
  });

  it('is rejected with two Sec-Fetch-Site headers', async () => {
    const lines = post('sec-fetch-site: cross-site', 'content-length: 0', 'connection: close', '', '');
    expect(parseStatuses(await sendLines(...lines))).toEqual([403]);
  });
});

it('responds to pipelined requests separately and in order', async () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`;
  const received = await sendLines(get('/') + get('/nowhere') + get(otherHome, 'connection: close\r\n'));
  expect(parseStatuses(received)).toEqual([200, 404, 200]);
  expect(received.indexOf(`lang="${defaultLocale.iso}`)).toBeLessThan(received.indexOf(`lang="${other.iso}`));
});

// threat-model: T-059
it.skipIf(kernelLimit < BURST /* the kernel's limit, not the site's */)(
  'accepts a thousand connections that were opened while the process was blocked',
  async () => {
    const { hostname, port } = new URL(stack.site.origin);
    let connected = 0;
    stack.site.signal('SIGSTOP');
    const sockets = Array.from({ length: BURST }, () =>
      connect({ host: hostname, port: Number(port) }, () => void connected++).on('error', () => {}),
    );
    try {
      // The process stays stopped, so that connections beyond the listen backlog are never established.
      await expect.poll(() => connected).toBe(BURST);
    } finally {
      stack.site.signal('SIGCONT');
      for (const socket of sockets) socket.destroy();
    }
    expect((await fetch(`${stack.site.origin}/healthz`)).status).toBe(200);
  },
);

// threat-model: T-059
it('responds to heads and bodies that stall with 408, a form in its language, and serves other visitors', async () => {
  const silent = await Promise.all(Array.from({ length: 200 }, () => openRawSocket(stack.site.origin)));
  for (const wire of silent) wire.write('GET / HTTP/1.1\r\nhost:');
  // The head of a request has to arrive within ten seconds.
  const head = Promise.all(silent.map((wire) => wire.readUntilClosed(60_000)));
  const served = stack.get(otherHome).then(({ status }) => status);
  expect(await Promise.race([served, head])).toBe(200);

  const stalled = (path: string, referer: string) =>
    sendLines(
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      'sec-fetch-site: same-origin',
      `referer: ${stack.site.origin}${referer}`,
      `content-type: ${path.startsWith('/api') ? 'application/json' : 'application/x-www-form-urlencoded'}`,
      'content-length: 100',
      '',
      'a=b',
    );
  // The body of a request has to arrive within 25 seconds.
  const [form = '', api = ''] = await Promise.all([
    stalled('/preferences', localizePath('/', another)),
    stalled('/api/graphql', otherHome),
  ]);
  for (const received of [form, api]) {
    expect(parseStatuses(received)).toEqual([408]);
    const id = /^x-request-id: (\S+)/im.exec(received)?.[1];
    await expect
      .poll(() => stack.site.output())
      .toMatch(new RegExp(`"requestId":"${id}".*"status":408.*"RequestTimeout"`));
    expect(received.split(id ?? '')).toHaveLength(3);
    expect(received).toMatch(/^connection: close$/im);
  }
  expect(form).toContain(`<html lang="${another.iso}" dir="${another.dir}">`);
  expect(api).toContain('{"data":null');
  expect(new Set((await head).flatMap(parseStatuses))).toEqual(new Set([408]));
});

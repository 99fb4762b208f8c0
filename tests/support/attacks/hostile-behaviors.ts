/**
 * Generated clients that behave badly. The seed and the number of a client determine what it sends and when it reads, so
 * that a failure can be reproduced.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../fuzzing/seeded-random.ts';
import { examplePath, other, otherHome } from '../this-site.ts';
import { openHostileSocket, requestText } from './hostile-socket.ts';

/** What a client sends, and how it reads and ends. `toString` names it in the error of a failed test. */
export type HostileClient = {
  description: string;
  /** Resolves when the client has given up or the server has closed the connection. */
  run(origin: string, signal: AbortSignal): Promise<void>;
};

type Part = { name: string; bytes(origin: string): string };

/** Sending more would slow down the process of the test, in which the honest visitor waits. */
const MAX_BYTES = 1_000_000;

/** Half a kilobyte of body, every byte in a chunk of its own. */
const TINY_CHUNKS = '1\r\nx\r\n'.repeat(500);

const FORM = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

/** Creates one client. `asset` is the address of a large file. */
export function hostileClient(random: SeededRandom, asset: string): HostileClient {
  const address = `203.0.${random.below(64)}.${random.below(256)}`;
  const request = randomRequest(random, asset, address);
  const count = random.pick([1, 2, 8, 16, 17, 18, 64, 300, 1500, 4000]);
  const ending = randomEnding(random, address);
  const writing = random.pick(['at once', 'at once', 'at once', 'in parts', 'byte by byte'] as const);
  const reading = random.pick(['nothing', 'nothing', 'a little', 'everything'] as const);
  const end = random.pick(['waits', 'waits', 'half closes', 'aborts'] as const);
  return {
    description: `${count} × ${request.name}, then ${ending.name}, sent ${writing}, reads ${reading}, ${end}`,
    async run(origin, signal) {
      const socket = await openHostileSocket(origin);
      const one = request.bytes(origin);
      const bytes = one.repeat(Math.min(count, Math.ceil(MAX_BYTES / one.length))) + ending.bytes(origin);
      if (reading === 'everything') socket.resume();
      if (reading === 'a little') void readSlowly(socket, signal);
      await write(socket, bytes, writing, signal);
      if (end === 'half closes') socket.end();
      if (end === 'aborts') await delay(random.below(500));
      else if (!socket.closed) await once(socket, 'close', { signal }).catch(() => {});
      socket.destroy();
    },
  };
}

function randomRequest(random: SeededRandom, asset: string, address: string): Part {
  const named = { 'x-forwarded-for': address };
  const get = (name: string, path: string, headers: Record<string, string> = {}): Part => ({
    name,
    bytes: (origin) => requestText(origin, { path, headers: { ...named, ...headers } }),
  });
  const post = (name: string, path: string, body: string): Part => ({
    name,
    bytes: (origin) => requestText(origin, { method: 'POST', path, headers: { ...named, ...FORM }, body }),
  });
  const inTinyChunks = (name: string, method: string, path: string): Part => {
    const headers = { ...named, ...FORM, 'transfer-encoding': 'chunked' };
    return {
      name,
      bytes: (origin) => `${requestText(origin, { method, path, headers })}${TINY_CHUNKS}0\r\n\r\n`,
    };
  };
  return random.pick([
    get('rendered page', `${examplePath()}?x=${random.below(100)}`),
    get('rendered page', '/?x=1'),
    get('missing page', `/nowhere/${random.below(100)}`),
    get('data', `${examplePath(other)}.data`),
    get('cached page', otherHome),
    get('asset', asset),
    get('asset', asset, { 'accept-encoding': 'br' }),
    get('part of an asset', asset, { range: 'bytes=1-100000' }),
    get('sign-in', '/auth/sign-in'),
    get('identity', '/api/identity'),
    post('preferences', '/preferences', 'theme=dark&returnTo=/'),
    post('form of a page', examplePath(other), `content=${'x'.repeat(500)}`),
    post('operation', '/api/graphql', '{}'),
    post('report', '/csp-reports', '[]'),
    get('cached page with a long head', otherHome, { cookie: `a=${'x'.repeat(30_000)}` }),
    { name: 'request without a host', bytes: () => 'GET / HTTP/1.1\r\n\r\n' },
    inTinyChunks('rendered page with a body in tiny chunks', 'GET', '/?x=1'),
    inTinyChunks('form in tiny chunks', 'POST', '/preferences'),
  ]);
}

/** What follows the complete requests. */
function randomEnding(random: SeededRandom, address: string): Part {
  const head = (origin: string, framing: string) =>
    `POST /preferences HTTP/1.1\r\nhost: ${new URL(origin).host}\r\nsec-fetch-site: same-origin\r\n` +
    `x-forwarded-for: ${address}\r\ncontent-type: application/x-www-form-urlencoded\r\n${framing}\r\n\r\n`;
  return random.pick<Part>([
    { name: 'nothing', bytes: () => '' },
    { name: 'nothing', bytes: () => '' },
    { name: 'garbage', bytes: () => 'garbage\r\n\r\n\0' },
    { name: 'half a head', bytes: () => 'GET / HTTP/1.1\r\nhost:' },
    {
      name: 'half a body',
      bytes: (origin) => `${head(origin, 'content-length: 60000')}theme=${'x'.repeat(20_000)}`,
    },
    {
      name: 'an invalid chunk',
      bytes: (origin) => `${head(origin, 'transfer-encoding: chunked')}5\r\ntheme\r\nz\r\n`,
    },
    {
      name: 'a body in tiny chunks that does not end',
      bytes: (origin) => head(origin, 'transfer-encoding: chunked') + TINY_CHUNKS.repeat(30),
    },
    {
      name: 'a body past the limit',
      bytes: (origin) =>
        head(origin, 'transfer-encoding: chunked') +
        '4000\r\n'.concat('x'.repeat(0x4000), '\r\n').repeat(200),
    },
    {
      name: 'a declared body past the limit',
      bytes: (origin) => head(origin, 'content-length: 3000000') + 'x'.repeat(3_000_000),
    },
  ]);
}

async function write(
  socket: Socket,
  bytes: string,
  writing: 'at once' | 'in parts' | 'byte by byte',
  signal: AbortSignal,
): Promise<void> {
  if (writing === 'at once') return void socket.write(bytes);
  const size = writing === 'in parts' ? Math.ceil(bytes.length / 20) : 1;
  for (let at = 0; at < bytes.length && !signal.aborted && socket.writable; at += size) {
    socket.write(bytes.slice(at, at + size));
    await delay(10);
  }
}

/** Reads for an instant in every second. */
async function readSlowly(socket: Socket, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !socket.closed) {
    socket.resume();
    await delay(1);
    socket.pause();
    await delay(1000);
  }
}

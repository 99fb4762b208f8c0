/** Every test relies on the secret detection, so its own failures must not go unnoticed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { openRawSocket } from '../../support/http/raw-socket.ts';
import { checkResponsesOf } from '../../support/secrets/secret-checking-fetch.ts';
import {
  assertNoSecret,
  findRegisteredSecret,
  findSecret,
  registerSecret,
} from '../../support/secrets/secret-detection.ts';

const token = randomBytes(700).toString('base64');
const code = randomUUID();
registerSecret('refresh token', token);
registerSecret('authorization code', code);

const base64At = (shift: number, value: string, encoding: 'base64' | 'base64url') =>
  Buffer.concat([randomBytes(shift), Buffer.from(value), randomBytes(5)]).toString(encoding);

describe.each([
  ['refresh token', token],
  ['authorization code', code],
])('a registered %s', (kind, value) => {
  // threat-model: T-040
  it.each<[string, string]>([
    ['unencoded', value],
    ['in the URL of a link', `/callback?code=${encodeURIComponent(value)}&state=x`],
    ['in base64url', base64At(0, value, 'base64url')],
    ['in base64url at an offset of one byte', base64At(1, value, 'base64url')],
    ['in base64url at an offset of two bytes', base64At(2, value, 'base64url')],
    ['in base64', base64At(0, value, 'base64')],
    ['in base64 at an offset of one byte', base64At(1, value, 'base64')],
    ['in base64 at an offset of two bytes', base64At(2, value, 'base64')],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['reduced to its first half', value.slice(0, Math.max(28, value.length / 2))],
    ['reduced to its second half', value.slice(-Math.max(28, value.length / 2))],
  ])('is found %s', (_form, text) => {
    expect(findSecret(`before ${text} after`)).toBe(`${kind}, by its value`);
  });
});

describe('assertNoSecret', () => {
  it('accepts sealed values, hashes and unregistered values', () => {
    const sealed = `eyJhbGciOiJkaXIifQ..${randomBytes(12).toString('base64url')}.${randomBytes(2000).toString('base64url')}`;
    expect(() =>
      assertNoSecret('/', { headers: { 'set-cookie': [sealed] }, body: randomUUID() }),
    ).not.toThrow();
    expect(findRegisteredSecret(randomBytes(100_000).toString('base64'))).toBeNull();
  });

  it('refuses to register a value that is too short to be distinctive', () => {
    expect(() => registerSecret('password', 'short')).toThrow(RangeError);
  });
});

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map(closeServer)));

/** Starts a server and returns its origin. Its responses are checked when `isSite` is true. */
async function startServer(listener: RequestListener, isSite = true): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  const origin = await listenOnLoopback(server);
  if (isSite) checkResponsesOf(origin);
  return origin;
}

describe('fetch in tests', () => {
  // threat-model: T-040
  it.each<[string, RequestListener]>([
    ['a body', (_request, response) => response.end(`<p>${token}`)],
    ['a header', (_request, response) => response.setHeader('x-debug', code).end()],
    [
      'the first of two cookies',
      (_request, response) => response.setHeader('set-cookie', [code, 'a=b']).end(),
    ],
    [
      'the target of a redirect',
      ({ url }, response) =>
        url === '/' ? response.writeHead(302, { location: `/there?code=${code}` }).end() : response.end(),
    ],
  ])('rejects when the site exposes a secret in %s', async (_part, listener) => {
    await expect(fetch(await startServer(listener))).rejects.toThrow(/exposed .+, by its value/);
  });

  it('rejects when the site redirects to another origin with a secret in the URL', async () => {
    const otherOrigin = await startServer((_request, response) => response.end(), false);
    const location = `${otherOrigin}/?code=${code}`;
    const site = await startServer((_request, response) => response.writeHead(302, { location }).end());
    await expect(fetch(site)).rejects.toThrow(/exposed authorization code/);
  });

  it('returns responses of the site without secrets, and all responses of other servers', async () => {
    const site = await startServer((_request, response) => response.end('ok'));
    expect(await (await fetch(new URL('/', site))).text()).toBe('ok');
    expect((await fetch(new Request(site, { method: 'HEAD' }))).status).toBe(200);
    const hostedLogin = await startServer((_request, response) => response.end(token), false);
    expect(await (await fetch(hostedLogin)).text()).toBe(token);
  });
});

it('a raw socket rejects when it has received a secret', async () => {
  const socket = await openRawSocket(await startServer((_request, response) => response.end(token)));
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await expect(socket.readUntilClosed()).rejects.toThrow('The connection exposed refresh token');
});

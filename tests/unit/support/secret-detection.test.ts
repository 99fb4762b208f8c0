/** The watch for secrets is itself watched: what it would not find, no test would. */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
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
])('a %s that was given out', (kind, value) => {
  // threat-model: T-040
  it.each<[string, string]>([
    ['as it is', value],
    ['in a line of the log', JSON.stringify({ level: 'info', err: { message: `refused: ${value}` } })],
    ['in markup', `<p title="${value}">`],
    ['in the address of a link', `/callback?code=${encodeURIComponent(value)}&state=x`],
    ['in a form of another form', new URLSearchParams({ returnTo: `/?t=${value}` }).toString()],
    ['in base64url', base64At(0, value, 'base64url')],
    ['in base64url that began a byte before', base64At(1, value, 'base64url')],
    ['in base64url that began two bytes before', base64At(2, value, 'base64url')],
    ['in base64', base64At(0, value, 'base64')],
    ['in base64 that began a byte before', base64At(1, value, 'base64')],
    ['in base64 that began two bytes before', base64At(2, value, 'base64')],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['cut off behind its first half', value.slice(0, Math.max(28, value.length / 2))],
    ['cut off before its last half', value.slice(-Math.max(28, value.length / 2))],
  ])('is found %s', (_where, text) => {
    expect(findSecret(`before ${text} after`)).toBe(`${kind}, by its value`);
  });
});

describe('the watch over answers', () => {
  it.each([
    ['body', { headers: {}, body: `<p>${token}` }],
    ['header', { headers: { 'x-debug': code }, body: '' }],
    [
      'cookie',
      { headers: { 'set-cookie': ['a=b', `debug=${encodeURIComponent(token)}; Path=/`] }, body: '' },
    ],
    ['address', { headers: { location: `/?code=${code}` }, body: '' }],
  ])('sees a secret in a %s', (_where, answer) => {
    expect(() => assertNoSecret('/somewhere', answer)).toThrow(/^\/somewhere gave away .+, by its value$/);
  });

  it('sees none in what is sealed, hashed, or somebody else’s', () => {
    const sealed = `eyJhbGciOiJkaXIifQ..${randomBytes(12).toString('base64url')}.${randomBytes(2000).toString('base64url')}`;
    expect(() =>
      assertNoSecret('/', { headers: { 'set-cookie': [sealed] }, body: randomUUID() }),
    ).not.toThrow();
    expect(findRegisteredSecret(randomBytes(100_000).toString('base64'))).toBeNull();
  });

  it('can only look for what is long enough to be told from chance', () => {
    expect(() => registerSecret('password', 'short')).toThrow(RangeError);
  });
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** The origin of a server that answers so, and that is a site or anybody else's. */
async function startServer(answer: RequestListener, isSite = true): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const origin = `http://127.0.0.1:${address.port}`;
  if (isSite) checkResponsesOf(origin);
  return origin;
}

describe('a plain fetch', () => {
  // threat-model: T-040
  it.each<[string, RequestListener]>([
    ['a body', (_request, response) => response.end(`<p>${token}`)],
    [
      'a compressed body',
      (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(token)),
    ],
    ['a body of an error', (_request, response) => response.writeHead(500).end(code)],
    ['a header', (_request, response) => response.setHeader('x-debug', code).end()],
    [
      'the first of two cookies',
      (_request, response) => response.setHeader('set-cookie', [code, 'a=b']).end(),
    ],
    [
      'the address that it leads to',
      ({ url }, response) =>
        url === '/' ? response.writeHead(302, { location: `/there?code=${code}` }).end() : response.end(),
    ],
  ])('rejects when a site gives a secret away in %s', async (_where, answer) => {
    await expect(fetch(await startServer(answer))).rejects.toThrow(/gave away .+, by its value/);
  });

  it('rejects when a site leads elsewhere with a secret in the address', async () => {
    const elsewhere = await startServer((_request, response) => response.end(), false);
    const location = `${elsewhere}/?code=${code}`;
    const site = await startServer((_request, response) => response.writeHead(302, { location }).end());
    await expect(fetch(site)).rejects.toThrow(/gave away authorization code/);
  });

  it('is answered as ever by a site that gives none away, and by anybody else', async () => {
    const site = await startServer((_request, response) => response.end('fine'));
    expect(await (await fetch(new URL('/', site))).text()).toBe('fine');
    expect((await fetch(new Request(site, { method: 'HEAD' }))).status).toBe(200);
    const hostedLogin = await startServer((_request, response) => response.end(token), false);
    expect(await (await fetch(hostedLogin)).text()).toBe(token);
  });
});

it('a connection under a test’s own hand rejects when a secret came over it', async () => {
  const wire = await openRawSocket(await startServer((_request, response) => response.end(token)));
  wire.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await expect(wire.readUntilClosed()).rejects.toThrow('The connection gave away refresh token');
});

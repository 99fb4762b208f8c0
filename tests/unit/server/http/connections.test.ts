import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localizePath } from '../../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import {
  type ConnectionLimits,
  Connections,
  createSiteServer,
  SERVER_OPTIONS,
} from '../../../../app/server/http/connections.ts';
import { EventStreams } from '../../../../app/server/http/event-streams.ts';
import { handleMalformedRequests } from '../../../../app/server/http/malformed-requests.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { openRawSocket, parseStatuses, type RawSocket } from '../../../support/http/raw-socket.ts';
import { another, other, otherHome } from '../../../support/this-site.ts';

const servers: Server[] = [];
const eventStreams = new EventStreams();
/** Those of the server that was started last. */
let connections: Connections;
let origin = '';
/** A server that waits less long for the rest of a request. */
let impatientOrigin = '';
const lines: string[] = [];
/** What the metrics count. */
const rejected: string[] = [];
/** The requests that a handler has begun and not answered, in their order. */
let begun: ServerResponse[] = [];

beforeEach(async () => {
  origin = await startServer();
  const short = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
  impatientOrigin = await startServer({}, { ...SERVER_OPTIONS, ...short });
  lines.length = 0;
  rejected.length = 0;
  begun = [];
});
afterEach(() => Promise.all(servers.splice(0).map(closeServer)));

async function startServer(
  limits: Partial<ConnectionLimits> = {},
  options = SERVER_OPTIONS,
  areAddressesVisitors = true,
): Promise<string> {
  const deps = {
    env: {
      appOrigin: 'https://site.example',
      userPool: { domain: 'https://login.example' },
      sharedCache: false,
    },
    log: createLog('info', { write: (line) => void lines.push(line) }),
    translations: loadTranslations('public/locales'),
    metrics: { ...noMetrics, rejected: (code: string) => void rejected.push(code) },
  };
  const server = createSiteServer(options);
  servers.push(server);
  connections = new Connections(server, { ...deps, areAddressesVisitors, eventStreams, limits });
  handleMalformedRequests(server, connections, deps);
  connections.serve(async (request, response) => {
    if (request.url === '/waiting') return void begun.push(response);
    if (request.url === '/late' || request.url === '/begun') {
      response.once('timeout', () => response.writeHead(503).end('too late'));
      if (request.url === '/begun') response.write('begun');
      return void begun.push(response);
    }
    if (request.url === '/read-later') await delay(100);
    if (request.url === '/in-chunks') {
      await delay(100);
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      return void request.once('end', () => response.end(`got ${body}`)).resume();
    }
    if (request.url === '/unread') return void response.writeHead(413).end('too large');
    if (request.url === '/large') return void response.end(Buffer.alloc(20_000_000));
    if (request.url === '/last') return void response.end(`last: ${request.headers['x-last']}`);
    const body = await text(request).catch(() => null);
    if (body !== null) response.end(`got ${body}`);
  });
  return listenOnLoopback(server);
}

/** The codes in the log. */
const codes = () => lines.map((line) => JSON.parse(line).code);

/** Opens a connection and sends these bytes. */
async function openWith(bytes: string, at = origin): Promise<RawSocket> {
  const wire = await openRawSocket(at);
  wire.write(bytes);
  return wire;
}

/** Returns what the server sends for these bytes before it closes the connection. */
const answerTo = async (bytes: string, at = origin) => (await openWith(bytes, at)).readUntilClosed();

/** Connects without reading. A reset is no error. */
async function openSocket(at: string): Promise<Socket> {
  const { hostname, port } = new URL(at);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const CHUNKED = 'transfer-encoding: chunked';
/** The head of a request with these lines. */
const headOf = (request: string, ...lines: readonly string[]) =>
  `${[`${request} HTTP/1.1`, 'host: a', ...lines].join('\r\n')}\r\n\r\n`;
const get = (path: string) => headOf(`GET ${path}`);
/** The last request of its connection. */
const getLast = (path: string) => headOf(`GET ${path}`, 'connection: close');
const CLOSE = getLast('/');

describe('a connection', () => {
  // threat-model: T-059
  it.each([
    ['an incomplete head', 'GET / HTTP/1.1\r\nhost: a\r\nx-slow: ', 408],
    ['an incomplete body', `${headOf('POST /', 'content-length: 9')}slow`, 408],
    ['a head of 40 kB', headOf('GET /', `cookie: ${'a'.repeat(40_000)}`), 431],
    ['endless chunk extensions', `${headOf('POST /', CHUNKED)}1;${'a'.repeat(20_000)}\r\n`, 413],
    ['bytes that are not HTTP', '\u0016\u0003\u0001\u0002 hello\r\n\r\n', 400],
  ])('responds to %s with the site’s own error page, and ends', async (_what, bytes, status) => {
    const received = await answerTo(bytes, status === 408 ? impatientOrigin : origin);
    expect(parseStatuses(received)).toEqual([status]);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^connection: close$/im);
    expect(head).toMatch(/^cache-control: private, no-store$/im);
    expect(head).toMatch(/^content-security-policy: default-src 'none'/im);
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    expect(head).toMatch(/^strict-transport-security: /im);
    const id = /^x-request-id: ([\w-]{36})$/im.exec(head)?.[1] ?? 'none';
    expect(body).toContain(id);
    expect(body).toContain(`<small>${status}</small>`);
    expect(body.trimEnd().endsWith('</html>')).toBe(true);
    expect(head).toContain(`content-length: ${Buffer.byteLength(body, 'latin1')}`);
    for (const line of head.split('\r\n').slice(1)) expect(line).toMatch(/^(?!vary)[a-z-]+: (?!undefined)/);
    expect(Date.parse(/^date: (.+)$/im.exec(head)?.[1] ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { requestId: id, status, msg: 'malformed request', code: expect.stringMatching(/^(ERR|HPE)_/) },
    ]);
    expect(rejected).toEqual(['BadRequest']);
  });

  it('responds to a malformed body in the language of its page, and to an API in JSON', async () => {
    const malformed = (path: string, ...lines: string[]) =>
      answerTo(`${headOf(`POST ${path}`, CHUNKED, ...lines)}no length`);
    const page = await malformed(otherHome);
    expect(page).toContain(`<html lang="${other.iso}" dir="${other.dir}">`);
    const form = await malformed('/preferences', `referer: http://a${localizePath('/', another)}`);
    expect(form).toContain(`<html lang="${another.iso}"`);
    const api = await malformed('/api/graphql');
    expect([page, form, api].flatMap(parseStatuses)).toEqual([400, 400, 400]);
    expect(JSON.parse(api.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      data: null,
      errors: [{ errorType: 'BadRequest' }],
    });
  });

  it('responds also to a request with an unknown expectation, which HTTP allows to ignore', async () => {
    const head = headOf('POST /', 'expect: x', 'connection: close', 'content-length: 2');
    expect(await answerTo(`${head}hi`)).toMatch(/^HTTP\/1\.1 200 .*got hi/s);
  });

  it('accepts a head of 30 kB, as a long session has', async () => {
    const head = headOf('GET /', `cookie: ${'a'.repeat(30_000)}`, 'connection: close');
    expect(parseStatuses(await answerTo(head))).toEqual([200]);
  });

  // threat-model: T-095
  it('loses no header after many others, as one that a proxy appends', async () => {
    const lines = [...Array.from({ length: 3000 }, () => 'a:'), 'x-last: known', 'connection: close'];
    expect(await answerTo(headOf('GET /last', ...lines))).toContain('last: known');
  });

  // threat-model: T-059
  it('handles nothing that follows the error for a slow head, and is closed while it arrives', async () => {
    const wire = await openRawSocket(impatientOrigin, true);
    wire.write('GET /waiting HTTP/1.1\r\nhost: a\r\nx: ');
    await expect.poll(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    wire.write('the rest\r\n\r\n');
    const sending = setInterval(() => wire.write('not HTTP'), 20);
    const received = await wire.readUntilClosed().finally(() => clearInterval(sending));
    expect(parseStatuses(received)).toEqual([408]);
    expect([begun.length, codes().length]).toEqual([0, 1]);
  });

  it('sends no second response after one that has begun', async () => {
    const received = await answerTo(`${headOf('POST /begun', 'content-length: 9')}slow`, impatientOrigin);
    expect(parseStatuses(received)).toEqual([200]);
    expect(received).toMatch(/begun\r\n$/);
  });

  it('is not logged when the client resets it', async () => {
    const socket = await openSocket(origin);
    socket.write(get('/waiting'));
    await expect.poll(() => begun.length).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => begun[0]?.closed).toBe(true);
    expect(lines).toEqual([]);
  });

  it('that the server does not know is closed by a rejection', async () => {
    const unknown = new Socket();
    connections.reject(unknown, { status: 400, code: 'Unknown' });
    await expect.poll(() => unknown.destroyed).toBe(true);
  });

  // threat-model: T-059
  it('may reach its limit of time together with hundreds of others, while the server goes on', async () => {
    const wires = await Promise.all(Array.from({ length: 300 }, () => openRawSocket(impatientOrigin)));
    for (const wire of wires) wire.write('GET / HTTP/1.1\r\n');
    const inOneRound: number[] = [];
    for (let before = 0; before < wires.length; before = lines.length) {
      await new Promise(setImmediate);
      inOneRound.push(lines.length - before);
    }
    expect(Math.max(...inOneRound)).toBe(16);
    for (const wire of wires) expect(parseStatuses(await wire.readUntilClosed())).toEqual([408]);
  });
});

describe('the requests of one connection', () => {
  // threat-model: T-083
  it('are handled one after the other', async () => {
    const wire = await openWith(get('/waiting').repeat(3));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => begun.length).toBe(count);
      begun.at(-1)?.end(`response ${count}`);
    }
    wire.write(CLOSE);
    const received = await wire.readUntilClosed();
    expect(received.match(/response \d|got/g)).toEqual(['response 1', 'response 2', 'response 3', 'got']);
  });

  // threat-model: T-083
  it('end with the connection when more than 16 wait, also without a host', async () => {
    const patient = await openWith(get('/waiting').repeat(17));
    await expect.poll(() => begun.length).toBe(1);
    expect(codes()).toEqual([]);
    patient.write(get('/waiting'));
    expect(await patient.readUntilClosed()).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);

    lines.length = 0;
    expect(await answerTo(get('/waiting') + 'GET / HTTP/1.1\r\n\r\n'.repeat(4000))).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
    expect(begun).toHaveLength(2);
  });

  // threat-model: T-083
  it('end with the connection when more than 16 arrive together, also if each has its response at once', async () => {
    const post = `${headOf('POST /unread', 'content-length: 2')}[]`;
    expect(parseStatuses(await answerTo(post.repeat(16) + CLOSE))).toHaveLength(17);
    expect(parseStatuses(await answerTo(post.repeat(4000))).length).toBeLessThan(19);
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
  });

  // threat-model: T-083
  it('end with the connection when those of all connections take too much memory', async () => {
    const strict = await startServer({ waitingBytes: 60_000 });
    const long = headOf('GET /waiting', `cookie: ${'a'.repeat(30_000)}`);
    expect(await answerTo(long.repeat(4), strict)).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
    expect(begun).toHaveLength(1);

    // What waited on the closed connection takes no memory any more.
    await openWith(long.repeat(3), strict);
    await expect.poll(() => begun.length).toBe(2);
    expect(await answerTo(get('/waiting').repeat(2), strict)).toBe('');
    expect(codes()).toHaveLength(2);

    // A request that does not have to wait is handled all the same.
    await expect.poll(() => begun.length).toBe(3);
    expect(parseStatuses(await answerTo(CLOSE, strict))).toEqual([200]);

    // Nor does a request that is handled.
    begun[1]?.end();
    await expect.poll(() => begun.length).toBe(4);
    await openWith(long.repeat(2), strict);
    await expect.poll(() => begun.length).toBe(5);
    begun[3]?.end();
    await expect.poll(() => begun.length).toBe(6);
    expect(codes()).toHaveLength(2);
  });

  // threat-model: T-083
  it('take some memory however short they are, and as much as is read of their body before it is needed', async () => {
    // Of one request: 4 KiB, its target, and the name and value of its header.
    const ofOne = 4 * 1024 + '/waiting'.length + 'host'.length + 'a'.length;
    const narrow = await startServer({ waitingBytes: ofOne });
    // The second one that waits is accepted because the first does not exceed the limit.
    const short = await openWith(get('/waiting').repeat(3), narrow);
    await expect.poll(() => begun.length).toBe(1);
    expect(codes()).toEqual([]);
    short.write(get('/waiting'));
    expect(await short.readUntilClosed()).toBe('');

    const strict = await startServer({ waitingBytes: 60_000 });
    await openWith(get('/waiting') + headOf('POST /', 'content-length: 100000'), strict);
    await expect.poll(() => begun.length).toBe(2);
    expect(await answerTo(get('/waiting').repeat(2), strict)).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests', 'TooManyPipelinedRequests']);
  });

  // threat-model: T-083
  it('do not wait with a body in chunks: the connection ends after the responses before it', async () => {
    const chunks = '1\r\nx\r\n'.repeat(1000);
    const wire = await openWith(get('/waiting') + headOf('POST /waiting', CHUNKED) + chunks);
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end('complete');
    const received = await wire.readUntilClosed();
    expect(parseStatuses(received)).toEqual([200]);
    expect(received).toMatch(/complete$/);
    expect(begun).toHaveLength(1);
  });

  // threat-model: T-086
  it.each(['GET', 'HEAD'])('have no body that is kept if they are %s requests', async (method) => {
    const head = headOf(`${method} /waiting`, 'content-length: 5000000');
    await openWith(head + 'x'.repeat(5_000_000));
    await expect.poll(() => begun[0]?.req.complete).toBe(true);
  });

  // threat-model: T-086
  it.each([
    ['of a GET request', 'GET /waiting'],
    ['of a request whose body is read', 'POST /in-chunks'],
    ['of a request that has its response', 'POST /unread'],
  ])('end with the connection at thousands of short chunks %s', async (_which, start) => {
    const wire = await openWith(headOf(start, CHUNKED));
    await delay(50);
    wire.write('1\r\nx\r\n'.repeat(1500));
    expect(parseStatuses(await wire.readUntilClosed())).toEqual(start.endsWith('/unread') ? [413] : []);
    expect(codes()).toEqual(['TinyChunks']);
    expect(rejected).toEqual(['TinyChunks']);
  });

  it.each([
    ['as a whole', 'POST /read-later'],
    ['chunk by chunk', 'POST /in-chunks'],
  ])(
    'may have a body in a thousand short chunks and any longer ones, kept until it is read %s',
    async (_how, start) => {
      const chunk = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
      // 1,041 chunks with 1,088 bytes are just few enough. The later ones are longer: some are read in two parts.
      const chunks = chunk(1).repeat(1040) + chunk(48) + chunk(66).repeat(5000);
      const answer = await answerTo(`${headOf(start, 'connection: close', CHUNKED)}${chunks}0\r\n\r\n`);
      expect(answer).toContain(`got ${'x'.repeat(1088 + 66 * 5000)}`);
    },
  );

  // threat-model: T-060
  it('get their responses before the error for what follows them', async () => {
    const wire = await openWith(`${headOf('POST /waiting', 'content-length: 2')}hi`);
    wire.write(`${get('/')}garbage\r\n\r\n`);
    await expect.poll(() => codes()).toEqual(['HPE_INVALID_METHOD']);
    begun[0]?.writeHead(303).end();
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([303, 200, 400]);
  });

  // threat-model: T-060
  it('get an error in place of a response when a body is invalid', async () => {
    const wire = await openWith(`${get('/waiting')}${headOf('POST /', CHUNKED)}-1\r\n`);
    await expect.poll(codes).toEqual(['HPE_INVALID_CHUNK_SIZE']);
    begun[0]?.end('complete');
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([200, 400]);
  });

  // threat-model: T-060
  it('get an error in place of the response when the rest of a body does not arrive', async () => {
    const incomplete = `${headOf(`POST ${otherHome}`, 'content-length: 9')}slow`;
    const wire = await openWith(get('/waiting') + incomplete, impatientOrigin);
    await expect.poll(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    begun[0]?.end('complete');
    const received = await wire.readUntilClosed();
    expect(parseStatuses(received)).toEqual([200, 408]);
    expect(received).toContain(`<html lang="${other.iso}" dir="${other.dir}">`);
  });

  it('may follow a body that was discarded, also later', async () => {
    const wire = await openWith(headOf('POST /unread', 'content-length: 200') + 'x'.repeat(100));
    // Less long than the connection waits for it.
    await delay(300);
    wire.write('x'.repeat(100));
    // Longer than the connection would stay open if the body had not ended.
    await delay(1300);
    wire.write(CLOSE);
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([413, 200]);
  });

  it('end with the connection when the client sends no more of a body that is discarded', async () => {
    const received = await answerTo(`${headOf('POST /unread', 'content-length: 9')}only`);
    expect(parseStatuses(received)).toEqual([413]);
  });

  // threat-model: T-086
  it('get their response although the client goes on sending, within a limit', async () => {
    const head = (length: number) => headOf('POST /unread', `content-length: ${length}`);
    const wire = await openWith(head(10_000_000) + 'x'.repeat(5_000_000));
    // Longer than the interval in which the discarded bytes are counted.
    await delay(300);
    wire.write('x'.repeat(5_000_000) + CLOSE);
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([413, 200]);

    const strict = await startServer({ discardedBytes: 1_000_000 });
    const endless = await openWith(head(10_000_000_000), strict);
    const sending = setInterval(() => endless.write('x'.repeat(100_000)), 5);
    const received = await endless.readUntilClosed().finally(() => clearInterval(sending));
    expect(parseStatuses(received)).toEqual([413]);

    // What earlier requests of the connection sent does not count.
    const later = await openWith(headOf('POST /', 'content-length: 900000') + 'x'.repeat(900_000), strict);
    later.write(head(200) + 'x'.repeat(100));
    await delay(300);
    later.write('x'.repeat(100) + CLOSE);
    expect(parseStatuses(await later.readUntilClosed())).toEqual([200, 413, 200]);
  });
});

describe('a response that is not read', () => {
  const countConnections = () =>
    new Promise((resolve) => servers.at(-1)?.getConnections((_error, count) => resolve(count)));

  // threat-model: T-084
  it.each<[string, Partial<ConnectionLimits>]>([
    ['when it makes no progress', { stalledMs: 300 }],
    ['when it takes too long', { responseMs: 300 }],
    ['when too many bytes wait', { unreadBytes: 1_000_000 }],
  ])('ends with its connection %s', async (_when, limits) => {
    const limited = await startServer(limits);
    const socket = await openSocket(limited);
    socket.pause().write(get('/large'));
    await expect.poll(countConnections).toBe(1);
    await expect.poll(countConnections).toBe(0);
    socket.destroy();
  });

  it('of some megabytes is kept for a client that reads it later', async () => {
    const socket = await openSocket(origin);
    socket.pause().write(getLast('/large'));
    // A check is made every second.
    await delay(1200);
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    expect(received).toBeGreaterThan(20_000_000);
  });

  it('ends without the connections that are idle, however long', async () => {
    const limited = await startServer({ responseMs: 300 });
    const idle = await openWith(get('/'), limited);
    expect(await answerTo(get('/waiting'), limited)).toBe('');
    idle.write(CLOSE);
    expect(parseStatuses(await idle.readUntilClosed())).toEqual([200, 200]);
  });

  // threat-model: T-084
  it('ends when too many bytes wait and it has taken longest, and no other ends', async () => {
    const limited = await startServer({ unreadBytes: 30_000_000 });
    const waiting = await openWith(getLast('/waiting'), limited);
    await expect.poll(() => begun.length).toBe(1);
    const younger = await openSocket(limited);
    const older = await openSocket(limited);
    older.pause().write(get('/large'));
    await once(older, 'readable');
    younger.pause().write(getLast('/large'));
    await expect.poll(countConnections).toBe(2);
    let received = 0;
    for await (const chunk of younger) received += chunk.length;
    expect(received).toBeGreaterThan(20_000_000);
    begun[0]?.end('complete');
    expect(await waiting.readUntilClosed()).toContain('complete');
    older.destroy();
  });
});

it('a response in time is sent, however long the process has been running', async () => {
  const limited = await startServer({ responseMs: performance.now() * 1.5 });
  const wire = await openWith(getLast('/waiting'), limited);
  await expect.poll(() => begun.length).toBe(1);
  // A check is made every second.
  await delay(1200);
  begun[0]?.end('in time');
  expect(await wire.readUntilClosed()).toContain('in time');
});

describe('a response that takes too long', () => {
  it.each<[string, Partial<ConnectionLimits>]>([
    ['makes no progress', { stalledMs: 300 }],
    ['takes too long', { responseMs: 300 }],
  ])('is replaced by its handler when it has not begun and %s', async (_when, limits) => {
    const received = await answerTo(getLast('/late'), await startServer(limits));
    expect(parseStatuses(received)).toEqual([503]);
    expect(received).toContain('too late');
  });

  it('is replaced by its handler when the shutdown does not wait longer', async () => {
    const at = await startServer();
    // A connection without a request.
    await openRawSocket(at);
    const [waiting, started] = [answerTo(getLast('/late'), at), answerTo(getLast('/begun'), at)];
    await expect.poll(() => begun.length).toBe(2);
    connections.endWaiting();
    expect(parseStatuses(await waiting)).toEqual([503]);
    for (const response of begun) response.end();
    expect(await started).toMatch(/^HTTP\/1\.1 200 .*begun/s);
  });

  it('is cut off when it has begun and takes too long', async () => {
    const received = await answerTo(getLast('/begun'), await startServer({ responseMs: 300 }));
    expect(received).toMatch(/^HTTP\/1\.1 200 .*begun\r\n$/s);
  });
});

it('a stream of events has no limit of time', async () => {
  const limited = await startServer({ stalledMs: 1200, responseMs: 100 });
  const wire = await openWith(get('/waiting'), limited);
  await expect.poll(() => begun.length).toBe(1);
  const [stream] = begun;
  if (stream) eventStreams.add(stream.writeHead(200));
  // Longer than both limits, of which one is checked every second.
  await delay(1600);
  stream?.end('data: late\n\n');
  wire.write(CLOSE);
  expect(await wire.readUntilClosed()).toContain('data: late');
});

describe('too many connections', () => {
  // threat-model: T-085
  it('of one address are closed, until others end', async () => {
    const limited = await startServer({ connectionsPerAddress: 3 });
    const sockets = await Promise.all([1, 2, 3].map(() => openRawSocket(limited)));
    expect(await answerTo('GET / HTTP/1.1\r\n', limited)).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'TooManyConnections', msg: 'connection closed' },
    ]);
    expect(rejected).toEqual(['TooManyConnections']);
    sockets[0]?.destroy();
    await expect.poll(() => answerTo(CLOSE, limited).then(parseStatuses)).toEqual([200]);
    sockets[0] = await openRawSocket(limited);
    expect(await answerTo(CLOSE, limited)).toBe('');
  });

  it('of one address are not closed where it is that of a proxy', async () => {
    const limited = await startServer({ connectionsPerAddress: 1 }, SERVER_OPTIONS, false);
    await Promise.all([1, 2].map(() => openRawSocket(limited)));
    expect(parseStatuses(await answerTo(CLOSE, limited))).toEqual([200]);
  });

  // threat-model: T-085
  it('of the process are closed while all others are in use', async () => {
    const limited = await startServer({ connections: 2 });
    await Promise.all([1, 2].map(() => openWith(get('/waiting'), limited)));
    await expect.poll(() => begun.length).toBe(2);
    expect(await answerTo(CLOSE, limited)).toBe('');
    expect(codes()).toEqual(['TooManyConnections']);
  });

  // threat-model: T-085
  it('of the process close those that are not in use', async () => {
    const limited = await startServer({ connections: 2 });
    const unused = await openRawSocket(limited);
    await openWith(get('/'), limited);
    expect(parseStatuses(await answerTo(CLOSE, limited))).toEqual([200]);
    await unused.readUntilClosed();
  });

  // threat-model: T-085
  it('of the process close the one that has been idle longest', async () => {
    const limited = await startServer({ connections: 2 });
    const [first, second] = await Promise.all([1, 2].map(() => openRawSocket(limited)));
    if (!first || !second) throw new Error('two connections expected');
    for (const [index, socket] of [second, first].entries()) {
      socket.write(get('/waiting'));
      await expect.poll(() => begun.length).toBe(index + 1);
      const response = begun[index];
      response?.end();
      if (response) await once(response, 'close');
    }
    expect(parseStatuses(await answerTo(CLOSE, limited))).toEqual([200]);
    expect(parseStatuses(await second.readUntilClosed())).toEqual([200]);
    first.write(CLOSE);
    expect(parseStatuses(await first.readUntilClosed())).toEqual([200, 200]);
  });
});

describe('during shutdown', () => {
  /** A connection without a byte, one with a part of its second head, and one whose request has no response yet. */
  async function openThree() {
    const at = await startServer();
    const [unused, incomplete, waiting] = await Promise.all([1, 2, 3].map(() => openRawSocket(at)));
    if (!unused || !incomplete || !waiting) throw new Error('three connections expected');
    incomplete.write(get('/waiting'));
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end();
    await expect.poll(() => begun[0]?.closed).toBe(true);
    incomplete.write('GET / HTTP/1.1\r\nhost:');
    waiting.write(get('/waiting'));
    await expect.poll(() => begun.length).toBe(2);
    return { unused, incomplete, waiting };
  }

  it('connections that were not used are closed', async () => {
    const { unused, incomplete, waiting } = await openThree();
    connections.closeUnused();
    expect(await unused.readUntilClosed()).toBe('');
    incomplete.write(' a\r\nconnection: close\r\n\r\n');
    expect(parseStatuses(await incomplete.readUntilClosed())).toEqual([200, 200]);
    begun[1]?.end('complete');
    waiting.write(CLOSE);
    expect(parseStatuses(await waiting.readUntilClosed())).toEqual([200, 200]);
  });

  it('connections without a pending response are closed, with 503 for a part of a head', async () => {
    const { unused, incomplete, waiting } = await openThree();
    connections.closeWithoutResponse();
    expect(await unused.readUntilClosed()).toBe('');
    expect(parseStatuses(await incomplete.readUntilClosed())).toEqual([200, 503]);
    expect(codes()).toEqual(['ShuttingDown']);
    begun[1]?.end('complete');
    waiting.write(CLOSE);
    expect(parseStatuses(await waiting.readUntilClosed())).toEqual([200, 200]);
  });
});

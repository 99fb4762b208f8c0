import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { openRawSocket, parseStatuses } from '../../../support/http/raw-socket.ts';

const servers: Server[] = [];
const eventStreams = new EventStreams();
let origin = '';
/** A server that waits less long for the rest of a request. */
let impatientOrigin = '';
const lines: string[] = [];

beforeAll(async () => {
  origin = await startServer();
  const short = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
  impatientOrigin = await startServer({ ...SERVER_OPTIONS, ...short });
});
afterAll(() => Promise.all(servers.map(closeServer)));

/** The requests that a handler has begun and not answered, in their order. */
let begun: ServerResponse[] = [];
beforeEach(() => {
  lines.length = 0;
  begun = [];
});

async function startServer(
  options = SERVER_OPTIONS,
  limits: Partial<ConnectionLimits> = {},
): Promise<string> {
  const deps = {
    env: { appOrigin: 'https://site.example', userPool: { domain: 'https://login.example' } },
    log: createLog('info', { write: (line) => void lines.push(line) }),
    translations: loadTranslations('public/locales'),
    metrics: noMetrics,
  };
  const server = createSiteServer(options);
  servers.push(server);
  const connections = new Connections(server, { ...deps, areAddressesVisitors: true, eventStreams, limits });
  handleMalformedRequests(server, connections, deps);
  connections.serve(async (request, response) => {
    if (request.url === '/begun') response.write('begun');
    if (request.url === '/waiting') return void begun.push(response);
    if (request.url === '/unread') return void response.writeHead(413).end('too large');
    if (request.url === '/large') return void response.end(Buffer.alloc(20_000_000));
    const body = await text(request).catch(() => null);
    if (request.url === '/begun' || body === null) return;
    response.end(`got ${body}`);
  });
  return listenOnLoopback(server);
}

/** The codes in the log. */
const codes = () => lines.map((line) => JSON.parse(line).code);

/** Returns what the server sends for these bytes before it closes the connection. */
async function answerTo(bytes: string, at = origin): Promise<string> {
  const wire = await openRawSocket(at);
  wire.write(bytes);
  return wire.readUntilClosed();
}

describe('a connection', () => {
  it('responds to a request', async () => {
    const received = await answerTo(
      'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi',
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 .*got hi/s);
  });

  // threat-model: T-059
  it.each([
    ['an incomplete head', 'GET / HTTP/1.1\r\nhost: a\r\nx-slow: ', 408],
    ['an incomplete body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nslow', 408],
    ['an incomplete chunk', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n9\r\nslow', 408],
    ['a head of 40 kB', `GET / HTTP/1.1\r\nhost: a\r\ncookie: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['a request target of 40 kB', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431],
    [
      'endless chunk extensions',
      `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n`,
      413,
    ],
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
    expect(body.trimEnd().endsWith('</html>')).toBe(true);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ requestId: id, status }]);
  });

  it('sends no second response after one that has begun', async () => {
    const begun = 'POST /begun HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nslow';
    const received = await answerTo(begun, impatientOrigin);
    expect(parseStatuses(received)).toEqual([200]);
    expect(received).toMatch(/begun\r\n$/);
  });

  // threat-model: T-059
  it('is closed when the client never stops sending', async () => {
    const wire = await openRawSocket(impatientOrigin, true);
    const endless = setInterval(() => wire.write('a'.repeat(10_000)), 5);
    const received = await wire.readUntilClosed().finally(() => clearInterval(endless));
    expect(parseStatuses(received)[0] ?? 400).toBe(400);
  });
});

describe('the requests of one connection', () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;

  // threat-model: T-083
  it('are handled one after the other', async () => {
    const wire = await openRawSocket(origin);
    wire.write(get('/waiting').repeat(3));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => begun.length).toBe(count);
      begun.at(-1)?.end(`response ${count}`);
    }
    wire.write(`GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    const received = await wire.readUntilClosed();
    expect(received.match(/response \d|got/g)).toEqual(['response 1', 'response 2', 'response 3', 'got']);
  });

  // threat-model: T-083
  it('end with the connection when more than 16 wait', async () => {
    const patient = await openRawSocket(origin);
    patient.write(get('/waiting').repeat(17));
    await expect.poll(() => begun.length).toBe(1);
    expect(codes()).toEqual([]);

    const greedy = await openRawSocket(origin);
    greedy.write(get('/waiting').repeat(4000));
    expect(await greedy.readUntilClosed()).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
    expect(begun).toHaveLength(2);
    patient.destroy();
  });

  // threat-model: T-060
  it('get their responses before the error for what follows them', async () => {
    const wire = await openRawSocket(origin);
    wire.write('POST /waiting HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi');
    wire.write(`${get('/')}garbage\r\n\r\n`);
    await expect.poll(() => codes()).toEqual(['HPE_INVALID_METHOD']);
    begun[0]?.writeHead(303).end();
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([303, 200, 400]);
  });

  // threat-model: T-086
  it('get their response although the client goes on sending, within a limit', async () => {
    const head = (length: number) => `POST /unread HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;
    const wire = await openRawSocket(origin);
    wire.write(head(10_000_000) + 'x'.repeat(10_000_000));
    wire.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([413, 200]);

    const strict = await startServer(SERVER_OPTIONS, { discardedBytes: 1_000_000 });
    const endless = await openRawSocket(strict);
    endless.write(head(10_000_000_000));
    const sending = setInterval(() => endless.write('x'.repeat(100_000)), 5);
    const received = await endless.readUntilClosed().finally(() => clearInterval(sending));
    expect(parseStatuses(received)).toEqual([413]);
  });
});

describe('a response that is not read', () => {
  const request = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n';

  // threat-model: T-084
  it.each<[string, Partial<ConnectionLimits>]>([
    ['when it makes no progress', { stalledMs: 300 }],
    ['when it takes too long', { responseMs: 300 }],
    ['when too many bytes wait', { unreadBytes: 1_000_000 }],
  ])('ends with its connection %s', async (_when, limits) => {
    const limited = await startServer(SERVER_OPTIONS, limits);
    const { hostname, port } = new URL(limited);
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    await once(socket, 'connect');
    socket.pause().write(request);
    const countConnections = () =>
      new Promise((resolve) => servers.at(-1)?.getConnections((_error, count) => resolve(count)));
    await expect.poll(countConnections).toBe(1);
    await expect.poll(countConnections).toBe(0);
    socket.destroy();
  });
});

describe('a stream of events', () => {
  it('has no limit of time', async () => {
    const limited = await startServer(SERVER_OPTIONS, { stalledMs: 100, responseMs: 100 });
    const wire = await openRawSocket(limited);
    wire.write('GET /waiting HTTP/1.1\r\nhost: a\r\n\r\n');
    await expect.poll(() => begun.length).toBe(1);
    const [stream] = begun;
    if (stream) eventStreams.add(stream.writeHead(200));
    // Other responses end with the next check, which is made every second.
    const other = await openRawSocket(limited);
    other.write('GET /waiting HTTP/1.1\r\nhost: a\r\n\r\n');
    await other.readUntilClosed();
    stream?.end('data: late\n\n');
    wire.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(await wire.readUntilClosed()).toContain('data: late');
  });
});

describe('too many connections', () => {
  // threat-model: T-085
  it('of one address are closed, until others end', async () => {
    const limited = await startServer(SERVER_OPTIONS, { connectionsPerAddress: 3 });
    const sockets = await Promise.all([1, 2, 3].map(() => openRawSocket(limited)));
    expect(await answerTo('GET / HTTP/1.1\r\n', limited)).toBe('');
    expect(codes()).toEqual(['TooManyConnections']);
    sockets[0]?.destroy();
    const close = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    await expect.poll(() => answerTo(close, limited).then(parseStatuses)).toEqual([200]);
    for (const socket of sockets) socket.destroy();
  });

  // threat-model: T-085
  it('of the process close those that are not in use', async () => {
    const limited = await startServer(SERVER_OPTIONS, { connections: 2 });
    const unused = await openRawSocket(limited);
    const idle = await openRawSocket(limited);
    idle.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const close = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    expect(parseStatuses(await answerTo(close, limited))).toEqual([200]);
    await unused.readUntilClosed();
    idle.destroy();
  });
});

import type { Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import {
  CONNECTION_LIMITS,
  createSiteServer,
  trackConnections,
} from '../../../../app/server/http/connections.ts';
import { handleMalformedRequests } from '../../../../app/server/http/malformed-requests.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { openRawSocket, parseStatuses } from '../../../support/http/raw-socket.ts';

const servers: Server[] = [];
let origin = '';
/** A server that waits less long for the rest of a request. */
let impatientOrigin = '';
const lines: string[] = [];

beforeAll(async () => {
  origin = await startServer(CONNECTION_LIMITS);
  const short = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
  impatientOrigin = await startServer({ ...CONNECTION_LIMITS, ...short });
});
afterAll(() => Promise.all(servers.map(closeServer)));

async function startServer(limits: typeof CONNECTION_LIMITS): Promise<string> {
  const deps = {
    env: { appOrigin: 'https://site.example' },
    log: createLog('info', { write: (line) => void lines.push(line) }),
    translations: loadTranslations('public/locales'),
    metrics: noMetrics,
  };
  const server = createSiteServer(limits);
  servers.push(server);
  handleMalformedRequests(server, trackConnections(server), deps);
  server.on('request', async (request, response) => {
    if (request.url === '/begun') response.write('begun');
    const body = await text(request).catch(() => null);
    if (request.url === '/begun' || body === null) return;
    response.end(`got ${body}`);
  });
  return listenOnLoopback(server);
}

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
    lines.length = 0;
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

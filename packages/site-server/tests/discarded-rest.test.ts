import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../../app/server/metrics/metrics.ts';
import {
  CHUNKED,
  CLOSE,
  headOf,
  sendSlowly,
  sendWithoutEnd,
  startConnectionServer,
} from '../../../tests/support/http/connection-server.ts';
import { parseStatuses } from '../../../tests/support/http/raw-socket.ts';
import { rulesAt } from '../../../tests/support/http/server-rules.ts';
import { discardRest } from '../src/discarded-rest.ts';
import { EventStreams } from '../src/event-streams.ts';
import { Exchange } from '../src/exchange.ts';
import { createLog } from '../src/log/log.ts';
import { createHeads } from '../src/response-head.ts';
import { createSend } from '../src/send.ts';

const rules = rulesAt('https://site.example');
const send = createSend({
  rules,
  completeHead: createHeads(rules),
  log: createLog('silent', { write: () => {} }),
  metrics: noMetrics,
  eventStreams: new EventStreams(),
});

/** Responds as the site does to a body that is too large, which it does not read. */
function reject(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const noContext = () => Promise.reject(new Error('no context'));
  const exchange = new Exchange(request, response, noContext, rules.createCookies());
  return send(exchange, { status: 413, headers: { 'content-type': 'text/plain' }, body: 'too large' });
}

/** Responds in the same way, and discards less. */
async function rejectLarge(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(413, { 'content-length': 2 }).write('no');
  await discardRest(request, 1_000_000);
  response.end();
}

const MEGABYTE = 'x'.repeat(1_000_000);
const megabytes = (count: number) => Array.from({ length: count }, () => MEGABYTE);

describe('a client that goes on sending', () => {
  // threat-model: T-086
  it('gets its response, and may send a further request', async () => {
    const { open } = await startConnectionServer({ respond: reject });
    const wire = await open(headOf('POST /', 'content-length: 10000000'));
    await sendSlowly(wire, megabytes(10), 20);
    wire.write(CLOSE);
    const received = await wire.readUntilClosed();
    expect(parseStatuses(received)).toEqual([413, 413]);
    expect(received).toMatch(/too large$/);
  });

  // threat-model: T-086
  it.each([
    ['a length', 'content-length: 10000000', MEGABYTE],
    ['chunks', CHUNKED, `${(1_000_000).toString(16)}\r\n${MEGABYTE}\r\n`],
  ])(
    'gets its response, although the connection ends with it: a body with %s',
    async (_which, framing, part) => {
      const { open } = await startConnectionServer({ respond: reject });
      const wire = await open(headOf('POST /', framing, 'connection: close'));
      await sendSlowly(
        wire,
        Array.from({ length: 10 }, () => part),
        20,
      );
      if (framing === CHUNKED) wire.write('0\r\n\r\n');
      expect(parseStatuses(await wire.readUntilClosed())).toEqual([413]);
    },
  );

  it('gets its response before it has sent everything', async () => {
    const { openUnread } = await startConnectionServer({ respond: reject });
    const socket = await openUnread(headOf('POST /', 'content-length: 2', 'connection: close'));
    const [received] = await new Promise<Buffer[]>((resolve) =>
      socket.once('data', (...all) => resolve(all)).resume(),
    );
    expect(String(received)).toMatch(/^HTTP\/1\.1 413 .*too large$/s);
    socket.end('[]');
    await expect.poll(() => socket.closed).toBe(true);
  });

  // threat-model: T-086
  it.each([[], ['connection: close']])('has its connection closed beyond a limit (%s)', async (...lines) => {
    const { open, countConnections } = await startConnectionServer({ respond: rejectLarge });
    const wire = await open(headOf('POST /', 'content-length: 10000000000', ...lines));
    expect(parseStatuses(await sendWithoutEnd(wire, 'x'.repeat(100_000), 5))).toEqual([413]);
    await expect.poll(countConnections).toBe(0);
  });

  it('is measured by this request alone', async () => {
    const respond = (request: IncomingMessage, response: ServerResponse) =>
      request.url === '/read'
        ? request.resume().once('end', () => response.end())
        : rejectLarge(request, response);
    const { open } = await startConnectionServer({ respond });
    const wire = await open(headOf('POST /read', 'content-length: 900000') + 'x'.repeat(900_000));
    wire.write(headOf('POST /', 'content-length: 200000') + 'x'.repeat(100_000));
    await delay(300);
    wire.write(`${'x'.repeat(100_000)}${CLOSE}`);
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([200, 413, 413]);
  });

  it('may pause for less than a second', async () => {
    const { open } = await startConnectionServer({ respond: reject });
    const wire = await open(headOf('POST /', 'content-length: 500'));
    // Longer than the connection would stay open if no byte arrived.
    await sendSlowly(wire, Array<string>(4).fill('x'.repeat(100)), 300);
    wire.write('x'.repeat(100) + CLOSE);
    expect(parseStatuses(await wire.readUntilClosed())).toEqual([413, 413]);
  });
});

it('a client that sends no more of its body has its connection closed after the response', async () => {
  const { answerTo } = await startConnectionServer({ respond: reject });
  expect(parseStatuses(await answerTo(`${headOf('POST /', 'content-length: 9')}only`))).toEqual([413]);
});

// threat-model: T-086
it.each(['GET', 'HEAD'])('the body of a %s request is discarded while it is handled', async (method) => {
  const { open, begun } = await startConnectionServer();
  await open(headOf(`${method} /waiting`, 'content-length: 5000000') + 'x'.repeat(5_000_000));
  await expect.poll(() => begun[0]?.req.complete).toBe(true);
});

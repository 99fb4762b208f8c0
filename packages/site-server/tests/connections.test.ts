import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CLOSE, get, getLast, startConnectionServer } from '../../../tests/support/http/connection-server.ts';
import { parseStatuses } from '../../../tests/support/http/raw-socket.ts';
import type { ConnectionLimits } from '../src/connections.ts';

/** Longer than the second between two checks of what takes too long. */
const AFTER_CHECK_MS = 1200;

describe('too many connections', () => {
  // threat-model: T-085
  it('of one address are closed, until others end', async () => {
    const server = await startConnectionServer({ limits: { connectionsPerAddress: 3 } });
    const { open, answerTo, lines, rejected } = server;
    const sockets = await Promise.all([1, 2, 3].map(() => open()));
    expect(await answerTo('GET / HTTP/1.1\r\n')).toBe('');
    expect(lines()).toMatchObject([{ code: 'TooManyConnections', msg: 'connection closed' }]);
    expect(rejected).toEqual(['TooManyConnections']);
    sockets[0]?.destroy();
    await expect.poll(() => answerTo(CLOSE).then(parseStatuses)).toEqual([200]);
    await open();
    expect(await answerTo(CLOSE)).toBe('');
  });

  // threat-model: T-085
  it('of one address are an eighth of all that are accepted', async () => {
    const { open, answerTo, codes } = await startConnectionServer();
    const sockets = await Promise.all(Array.from({ length: 512 }, () => open()));
    expect(codes()).toEqual([]);
    expect(await answerTo(CLOSE)).toBe('');
    expect(codes()).toEqual(['TooManyConnections']);
    for (const socket of sockets) socket.destroy();
  });

  it('of one address are not closed where it is that of a proxy', async () => {
    const limits = { connectionsPerAddress: 1 };
    const { open, answerTo } = await startConnectionServer({ limits, areAddressesVisitors: false });
    await Promise.all([1, 2].map(() => open()));
    expect(parseStatuses(await answerTo(CLOSE))).toEqual([200]);
  });

  // threat-model: T-085
  it('of the process are closed while all others are in use', async () => {
    const { open, answerTo, begun, codes } = await startConnectionServer({ limits: { connections: 2 } });
    await Promise.all([1, 2].map(() => open(get('/waiting'))));
    await expect.poll(() => begun.length).toBe(2);
    expect(await answerTo(CLOSE)).toBe('');
    expect(codes()).toEqual(['TooManyConnections']);
  });

  // threat-model: T-085
  it.each([
    ['has sent nothing', ''],
    ['has sent a part of a head', 'GET / HTTP/1.1\r\n'],
  ])('of the process close one that %s', async (_what, bytes) => {
    const { open, answerTo, begun } = await startConnectionServer({ limits: { connections: 2 } });
    const unused = await open(bytes);
    await open(get('/waiting'));
    await expect.poll(() => begun.length).toBe(1);
    expect(parseStatuses(await answerTo(CLOSE))).toEqual([200]);
    expect(await unused.readUntilClosed()).toBe('');
  });

  // threat-model: T-085
  it('of the process close the one that has been idle longest', async () => {
    const { open, answerTo, begun } = await startConnectionServer({ limits: { connections: 2 } });
    const [first, second] = [await open(), await open()];
    for (const [index, socket] of [second, first].entries()) {
      socket.write(get('/waiting'));
      await expect.poll(() => begun.length).toBe(index + 1);
      const response = begun[index];
      response?.end();
      if (response) await once(response, 'close');
    }
    expect(parseStatuses(await answerTo(CLOSE))).toEqual([200]);
    expect(parseStatuses(await second.readUntilClosed())).toEqual([200]);
    first.write(CLOSE);
    expect(parseStatuses(await first.readUntilClosed())).toEqual([200, 200]);
  });
});

describe('a response that is not read', () => {
  // threat-model: T-084
  it.each<[string, Partial<ConnectionLimits>]>([
    ['when it makes no progress', { stalledMs: 300 }],
    ['when it takes too long', { responseMs: 300 }],
    ['sooner while too many bytes wait', { unreadBytes: 1_000_000, crowdedMs: 300 }],
  ])('ends with its connection %s', async (_when, limits) => {
    const { openUnread, countConnections } = await startConnectionServer({ limits });
    const socket = await openUnread(get('/large'));
    await expect.poll(countConnections).toBe(1);
    await expect.poll(countConnections).toBe(0);
    socket.destroy();
  });

  // threat-model: T-084
  it.each<[string, Partial<ConnectionLimits>]>([
    ['few bytes wait', { crowdedMs: 0 }],
    ['many bytes wait for a short time', { unreadBytes: 1_000_000 }],
  ])('is kept for a client that reads it later while %s', async (_what, limits) => {
    const { openUnread } = await startConnectionServer({ limits });
    const socket = await openUnread(getLast('/large'));
    await delay(AFTER_CHECK_MS);
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    expect(received).toBeGreaterThan(20_000_000);
  });

  it('ends no other response and no idle connection', async () => {
    const { open, openUnread, begun, countConnections } = await startConnectionServer({
      limits: { unreadBytes: 1_000_000, crowdedMs: 300 },
    });
    const [idle, waiting] = [await open(get('/')), await open(getLast('/waiting'))];
    const socket = await openUnread(get('/large'));
    await expect.poll(countConnections).toBe(3);
    await expect.poll(countConnections).toBe(2);
    begun[0]?.end('complete');
    idle.write(CLOSE);
    expect(await waiting.readUntilClosed()).toContain('complete');
    expect(parseStatuses(await idle.readUntilClosed())).toEqual([200, 200]);
    socket.destroy();
  });
});

describe('a response that takes too long', () => {
  // threat-model: T-084
  it.each<[string, Partial<ConnectionLimits>]>([
    ['makes no progress', { stalledMs: 300 }],
    ['takes too long', { responseMs: 300 }],
  ])('is given up when it %s: replaced if it has not begun, else cut off', async (_when, limits) => {
    const { answerTo } = await startConnectionServer({ limits });
    expect(await answerTo(getLast('/waiting'))).toMatch(/^HTTP\/1\.1 503 .*too late/s);
    expect(await answerTo(getLast('/begun'))).toMatch(/^HTTP\/1\.1 200 .*begun\r\n$/s);
  });

  it('does not end the connections that are idle, however long', async () => {
    const { open, answerTo } = await startConnectionServer({ limits: { responseMs: 300 } });
    const idle = await open(get('/'));
    expect(parseStatuses(await answerTo(getLast('/waiting')))).toEqual([503]);
    idle.write(CLOSE);
    expect(parseStatuses(await idle.readUntilClosed())).toEqual([200, 200]);
  });

  it('is measured from its own request, however long the process has been running', async () => {
    const limits = { responseMs: performance.now() * 1.5 };
    const { open, begun } = await startConnectionServer({ limits });
    const wire = await open(getLast('/waiting'));
    await delay(AFTER_CHECK_MS);
    begun[0]?.end('in time');
    expect(await wire.readUntilClosed()).toContain('in time');
  });

  it('has no limit if it is a stream of events', async () => {
    const server = await startConnectionServer({ limits: { stalledMs: 1200, responseMs: 100 } });
    const { open, begun, eventStreams } = server;
    const wire = await open(get('/waiting'));
    await expect.poll(() => begun.length).toBe(1);
    const [stream] = begun;
    if (stream) eventStreams.add(stream.writeHead(200));
    // Longer than both limits.
    await delay(1600);
    stream?.end('data: late\n\n');
    wire.write(CLOSE);
    expect(await wire.readUntilClosed()).toContain('data: late');
  });
});

describe('during shutdown', () => {
  it('responses that have not begun are given up, and the others are completed', async () => {
    const { answerTo, open, begun, connections } = await startConnectionServer();
    await open();
    const [waiting, started] = [answerTo(getLast('/waiting')), answerTo(getLast('/begun'))];
    await expect.poll(() => begun.length).toBe(2);
    connections.giveUpNotBegun();
    expect(await waiting).toMatch(/^HTTP\/1\.1 503 .*too late/s);
    for (const response of begun) response.end();
    expect(await started).toMatch(/^HTTP\/1\.1 200 .*begun/s);
  });

  it('connections without a request are closed, with 503 for a part of a head', async () => {
    const { open, begun, connections, codes } = await startConnectionServer();
    const [unused, incomplete, waiting] = [await open(), await open(get('/waiting')), await open()];
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end();
    await expect.poll(() => begun[0]?.closed).toBe(true);
    incomplete.write('GET / HTTP/1.1\r\nhost:');
    waiting.write(get('/waiting'));
    await expect.poll(() => begun.length).toBe(2);
    connections.closeWithoutRequest();
    expect(await unused.readUntilClosed()).toBe('');
    expect(parseStatuses(await incomplete.readUntilClosed())).toEqual([200, 503]);
    expect(codes()).toEqual(['ShuttingDown']);
    begun[1]?.end('complete');
    waiting.write(CLOSE);
    expect(parseStatuses(await waiting.readUntilClosed())).toEqual([200, 200]);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  CHUNKED,
  CLOSE,
  get,
  getLast,
  headOf,
  startConnectionServer,
} from '../../../tests/support/http/connection-server.ts';
import { parseStatuses } from '../../../tests/support/http/raw-socket.ts';
import { ByteBudget } from '../src/byte-budget.ts';

describe('the requests of one connection', () => {
  // threat-model: T-083
  it('are handled one after the other', async () => {
    const { open, begun } = await startConnectionServer();
    const wire = await open(get('/waiting').repeat(3));
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
    const { open, answerTo, begun, codes } = await startConnectionServer();
    const patient = await open(get('/waiting').repeat(17));
    await expect.poll(() => begun.length).toBe(1);
    expect(codes()).toEqual([]);
    patient.write(get('/waiting'));
    expect(await patient.readUntilClosed()).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);

    expect(await answerTo(get('/waiting') + 'GET / HTTP/1.1\r\n\r\n'.repeat(4000))).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests', 'TooManyPipelinedRequests']);
  });

  // threat-model: T-083
  it('end with the connection when more than 16 arrive together, also if each has its response at once', async () => {
    const { answerTo, codes } = await startConnectionServer({
      respond: (_request, response) => response.end(),
    });
    const post = `${headOf('POST /', 'content-length: 2')}[]`;
    expect(parseStatuses(await answerTo(post.repeat(16) + CLOSE))).toHaveLength(17);
    expect(parseStatuses(await answerTo(post.repeat(4000))).length).toBeLessThan(19);
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
  });

  // threat-model: T-083
  it('are handled in different rounds of the event loop', async () => {
    let round = 0;
    const rounds: number[] = [];
    const count = () => {
      round += 1;
      if (rounds.length < 10) setImmediate(count);
    };
    const { answerTo } = await startConnectionServer({
      respond(_request, response) {
        rounds.push(round);
        response.end();
      },
    });
    count();
    await answerTo(get('/').repeat(9) + CLOSE);
    expect(new Set(rounds).size).toBe(10);
  });

  // threat-model: T-083
  it('end with the connection when those of all connections take too much memory', async () => {
    // A request that waits takes 16 KiB and its head.
    const limits = { budget: new ByteBudget(3 * 50_000) };
    const { open, answerTo, begun, codes } = await startConnectionServer({ limits });
    const long = headOf('GET /waiting', `cookie: ${'a'.repeat(30_000)}`);
    expect(await answerTo(long.repeat(5))).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);

    // What waited on the closed connection takes no memory any more, nor does a request that is handled.
    await open(long.repeat(4));
    await expect.poll(() => begun.length).toBe(1);
    expect(await answerTo(long.repeat(2))).toBe('');
    begun[0]?.end();
    await expect.poll(() => begun.length).toBe(2);
    await open(long.repeat(2));
    await expect.poll(() => begun.length).toBe(3);
    expect(codes()).toHaveLength(2);

    // A request that does not have to wait is handled all the same.
    expect(parseStatuses(await answerTo(CLOSE))).toEqual([200]);
  });

  // threat-model: T-083
  it('take some memory however short they are, and as much as is read of their body before it is needed', async () => {
    const limits = { budget: new ByteBudget(100_000) };
    const { open, answerTo, codes } = await startConnectionServer({ limits });
    await open(get('/waiting').repeat(6));
    expect(await answerTo(get('/waiting').repeat(3))).toBe('');
    expect(codes()).toEqual(['TooManyPipelinedRequests']);

    const other = await startConnectionServer({ limits: { budget: new ByteBudget(100_000) } });
    await other.open(get('/waiting') + headOf('POST /', 'content-length: 1000000'));
    expect(await other.answerTo(get('/waiting').repeat(2))).toBe('');
    expect(other.codes()).toEqual(['TooManyPipelinedRequests']);
  });

  // threat-model: T-083
  it('do not wait with a body in chunks: the connection ends after the responses before it', async () => {
    const { open, begun } = await startConnectionServer();
    const chunks = '1\r\nx\r\n'.repeat(1000);
    const wire = await open(get('/waiting') + headOf('POST /waiting', CHUNKED) + chunks);
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end('complete');
    const received = await wire.readUntilClosed();
    expect(parseStatuses(received)).toEqual([200]);
    expect(received).toMatch(/complete$/);
    expect(begun).toHaveLength(1);
  });

  it('wait with a body in chunks after a response that has begun, whose end may arrive at the client first', async () => {
    const { open, begun } = await startConnectionServer();
    const wire = await open(`${headOf('POST /begun', CHUNKED)}1\r\nx\r\n`);
    await expect.poll(() => begun.length).toBe(1);
    wire.write(`0\r\n\r\n${headOf('POST /', CHUNKED)}2\r\n[]\r\n0\r\n\r\n${CLOSE}`);
    // Both are received while the first response is still open.
    await delay(200);
    begun[0]?.end();
    const received = await wire.readUntilClosed();
    expect(parseStatuses(received)).toEqual([200, 200, 200]);
    expect(received).toContain('got []');
  });

  // threat-model: T-083
  it('with such a body take more memory, of which the requests of all connections have a limited amount', async () => {
    const limits = { budget: new ByteBudget(600_000) };
    const { open, begun, codes } = await startConnectionServer({ limits });
    const wires = [await open(get('/begun')), await open(get('/begun'))];
    await expect.poll(() => begun.length).toBe(2);
    for (const wire of wires) wire.write(`${headOf('POST /', CHUNKED)}1\r\nx\r\n`);
    await expect.poll(codes).toHaveLength(1);
    expect(codes()).toEqual(['TooManyPipelinedRequests']);
  });

  // threat-model: T-060
  it('are not handled after the last response', async () => {
    const { answerTo, begun } = await startConnectionServer();
    expect(parseStatuses(await answerTo(CLOSE + getLast('/waiting')))).toEqual([200]);
    expect(begun).toHaveLength(0);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { RedisConnection } from '../../src/shared-store/redis-connection.ts';

/** Loading the client and connecting take long on a busy machine. */
const patiently = { timeout: 60_000 };

describe.skipIf(redisProgram === null /* no store to share */)('a connection to Redis', () => {
  let redis: RedisServer;
  let lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const connect = () => new RedisConnection(redis.url, { clock: Date.now, log, metrics: noMetrics });

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    lines = [];
  });
  afterAll(() => redis?.kill());

  it('executes commands again as soon as Redis is reachable again', async () => {
    const connection = connect();
    const ping = () => connection.execute((client) => client.ping());
    await expect.poll(ping).toBe('PONG');
    await redis.kill();
    for (let failure = 0; failure < 3; failure += 1) await expect(ping()).rejects.toThrow();
    await expect(ping()).rejects.toMatchObject({ code: 'CircuitOpen' });
    const isBack = vi.waitUntil(() => lines.join('').includes('shared store reconnected'), {
      ...patiently,
      interval: 5,
    });
    await redis.restart();
    await isBack;
    expect(await ping()).toBe('PONG');
    connection.disconnect();
  });

  it('rejects with an UpstreamError when Redis replies with an error', async () => {
    const connection = connect();
    await expect.poll(() => lines.join('')).toContain('shared store connected');
    await expect(connection.execute((client) => client.eval('return nonsense(', {}))).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'shared-store',
    });
    connection.disconnect();
  });
});

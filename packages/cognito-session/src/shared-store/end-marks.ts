/**
 * Marks with a time, which an operator sets and every machine reads: a sorted set in Redis, with the time as the score.
 */
import type { RedisConnection } from './redis-connection.ts';

/** `at` is in milliseconds since the epoch, by the clock of Redis. */
export type EndMark = { name: string; at: number };

export type EndMarks = {
  /**
   * Returns the marks from `time` on, at most `MAX_MARKS`; null while Redis is unreachable. Waits for the first attempt
   * to connect. Never rejects.
   */
  since(time: number): Promise<EndMark[] | null>;
  /**
   * Sets a mark to the current time, and forgets marks that are older than `keepMs`. Returns the mark, or null when there
   * are `MAX_MARKS` others. Rejects with an `UpstreamError` while Redis is unreachable.
   */
  set(name: string, keepMs: number): Promise<EndMark | null>;
  /** Sets a mark that replaces all others. Rejects as `set` does. */
  replaceAll(name: string, keepMs: number): Promise<EndMark>;
};

/** About 1 MB in each machine. */
export const MAX_MARKS = 10_000;

/** Longer than for the commands of requests: an operator can wait, and a read may have ten thousand marks. */
const TIMEOUT_MS = 2000;

/** Creates the access to the marks of an app. */
export function createEndMarks(redis: RedisConnection, namespace: string): EndMarks {
  const key = `${namespace}:{end-marks}`;
  const write = async (name: string, at: number, keepMs: number) => {
    await redis.execute((client) => client.zAdd(key, { value: name, score: at }), TIMEOUT_MS);
    await redis.execute((client) => client.pExpire(key, keepMs), TIMEOUT_MS);
    return { name, at };
  };
  const removeUntil = (time: number) =>
    redis.execute((client) => client.zRemRangeByScore(key, '-inf', time), TIMEOUT_MS);

  return {
    async since(time) {
      await redis.firstAttempt;
      if (!redis.isReady()) return null;
      const options = { BY: 'SCORE', LIMIT: { offset: 0, count: MAX_MARKS } } as const;
      const read = redis.execute((client) => client.zRangeWithScores(key, time, '+inf', options), TIMEOUT_MS);
      const marks = await read.catch(() => null);
      return marks?.map(({ value, score }) => ({ name: value, at: score })) ?? null;
    },
    async set(name, keepMs) {
      const now = await readTime(redis);
      await removeUntil(now - keepMs);
      const known = await redis.execute((client) => client.zScore(key, name), TIMEOUT_MS);
      const count = await redis.execute((client) => client.zCard(key), TIMEOUT_MS);
      return known === null && count >= MAX_MARKS ? null : write(name, now, keepMs);
    },
    async replaceAll(name, keepMs) {
      const mark = await write(name, await readTime(redis), keepMs);
      await removeUntil(mark.at - 1);
      return mark;
    },
  };
}

/** The clock of Redis in milliseconds, so that the clock of the operator's machine does not matter. */
async function readTime(redis: RedisConnection): Promise<number> {
  const [seconds, microseconds] = await redis.execute((client) => client.time(), TIMEOUT_MS);
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

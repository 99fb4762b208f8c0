/**
 * Sharing through Valkey or Redis. What is kept there tells nothing to who reads it: names are hashes, records are
 * sealed with the session's secrets.
 */

import type { RateLimit, RateVerdict } from '../rate-limit/rate-limit.ts';
import type { Clock } from '../resilience/clock.ts';
import { createSharedRefresh, sessionKey } from '../session/shared-refresh.ts';
import type { RedisConnection } from './redis-connection.ts';
import { CLOSED_MS, type SharedStore } from './shared-store.ts';

/** How many sign-outs that the store has missed are kept until it is back. */
const MAX_UNTOLD = 10_000;
const TOLD_AT_ONCE = 100;

/** `takeOne` of rate-limit.server.ts, on the store's own clock, so that machines need not agree on the time. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval = 1000 / ARGV[1]
local next = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + interval
local tooSoon = next - now - ARGV[2] * interval
if tooSoon > 0.001 then return string.format('%.3f', tooSoon) end
redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.ceil(next - now))
return '0'`;

type RedisStoreDeps = {
  redis: RedisConnection;
  /** What answers while the store cannot, and remembers this machine's own part of it at all times. */
  alone: SharedStore;
  secrets: readonly [string, ...string[]];
  clock: Clock;
};

/** A store over this connection. Whatever the connection fails at, `alone` does. */
export function createRedisStore({ redis, alone, secrets, clock }: RedisStoreDeps): SharedStore {
  const untold = new Set<string>();

  const tell = async (id: string): Promise<void> => {
    try {
      await redis.ask((client) =>
        client.set(closedKey(id), '1', { expiration: { type: 'PX', value: CLOSED_MS } }),
      );
      untold.delete(id);
    } catch {
      if (untold.size < MAX_UNTOLD) untold.add(id);
    }
  };

  return {
    async closeSession(id) {
      await alone.closeSession(id);
      await tell(id);
    },

    async isSessionClosed(id) {
      if (await alone.isSessionClosed(id)) return true;
      const isClosed = await redis.ask((client) => client.exists(closedKey(id))).catch(() => null);
      if (isClosed === null) return false;
      for (const missed of [...untold].slice(0, TOLD_AT_ONCE)) void tell(missed);
      // So that it is still known here should the store be lost.
      if (isClosed) await alone.closeSession(id);
      return isClosed > 0;
    },

    refreshOnce: createSharedRefresh({ redis, secrets, clock }),

    async take(key, limit) {
      const verdict = await redis.ask((client) => client.eval(TAKE, takeInput(key, limit))).catch(() => null);
      return verdict === null ? alone.take(key, limit) : readVerdict(verdict);
    },

    disconnect: redis.disconnect,
  };
}

function closedKey(id: string): string {
  return `${sessionKey(id)}:closed`;
}

function takeInput(key: string, { name, burst, perSecond }: RateLimit) {
  return { keys: [`tenfold:rate:${name}:${key}`], arguments: [String(perSecond), String(burst)] };
}

function readVerdict(reply: unknown): RateVerdict {
  return { retryAfterMs: Number(reply) };
}

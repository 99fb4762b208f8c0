/**
 * Single flight across machines. The machine that holds a key's lease runs; the others poll for the value that it
 * shares. A lease lasts five seconds and is renewed during the run, so that a crashed machine blocks the others for no
 * longer than that.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '#upstream';
import type { FlightKeys } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { SharedFlight, SharedStore } from './shared-store.ts';

/** Longer than for other commands: a flight takes long anyway, and a timeout means that it runs on two machines. */
const COMMAND_TIMEOUT_MS = 1000;
const LEASE_MS = 5000;
const LEASE_RENEWAL_MS = 1500;
const POLL_MS = 50;
const MAX_WAIT_MS = 20_000;

type Claim =
  | { state: 'acquired'; lease: string }
  | { state: 'found'; text: string }
  | { state: 'busy' | 'unreachable' };

type SingleFlightDeps = { redis: RedisConnection; clock: Clock; keysOf: (key: string) => FlightKeys };

/** Creates the `singleFlight` of a store. If Redis is unreachable, this machine runs without sharing. */
export function createSingleFlight({ redis, clock, keysOf }: SingleFlightDeps): SharedStore['singleFlight'] {
  return async (flight) => {
    const keys = keysOf(flight.key);
    const deadline = clock() + MAX_WAIT_MS;
    for (;;) {
      const claimed = await claim(redis, keys, flight.version);
      if (claimed.state === 'found') return claimed;
      if (claimed.state === 'unreachable') return { state: 'ran', result: await flight.run() };
      if (claimed.state === 'acquired') {
        return { state: 'ran', result: await runWithLease(redis, keys, claimed.lease, flight) };
      }
      if (clock() >= deadline) return { state: 'timed-out' };
      await wait(POLL_MS);
    }
  };
}

/** Takes the lease if it is free, unless a value with a version above `version` exists. */
async function claim(redis: RedisConnection, keys: FlightKeys, version: number): Promise<Claim> {
  const lease = randomUUID();
  try {
    const reply = await redis.execute(
      (client) => client.claimFlight(keys, version, lease, LEASE_MS),
      COMMAND_TIMEOUT_MS,
    );
    if (typeof reply !== 'string') return reply === 1 ? { state: 'acquired', lease } : { state: 'busy' };
    return { state: 'found', text: reply.slice(reply.indexOf('.') + 1) };
  } catch {
    return { state: 'unreachable' };
  }
}

/** Runs a flight and renews its lease meanwhile. Then shares the value and releases the lease. */
async function runWithLease<Result>(
  redis: RedisConnection,
  keys: FlightKeys,
  lease: string,
  { run, share, ttlMs }: SharedFlight<Result>,
): Promise<Result> {
  const renewal = setInterval(() => {
    redis.execute((client) => client.renewFlight(keys, lease, LEASE_MS), COMMAND_TIMEOUT_MS).catch(() => {});
  }, LEASE_RENEWAL_MS);
  let value = '';
  try {
    const result = await run();
    const shared = await share(result);
    if (shared) value = `${shared.version}.${shared.text}`;
    return result;
  } finally {
    clearInterval(renewal);
    await redis
      .execute((client) => client.settleFlight(keys, lease, value, ttlMs), COMMAND_TIMEOUT_MS)
      .catch(() => {});
  }
}

/** The Redis client and the Lua scripts that it runs. Each script is sent once and then called by its hash (EVALSHA). */
import { type CommandParser, createClient, defineScript, ErrorReply } from '@redis/client';

const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_DELAY_MS = 2000;
const MAX_QUEUED_COMMANDS = 50_000;

/** The two keys of a single flight: the shared value and the lease of the machine that runs. */
export type FlightKeys = { value: string; lease: string };

/**
 * `consumeToken` of token-bucket.ts, on Redis's own clock, so that the machines' clocks need not agree. Returns the
 * milliseconds to wait as text, since a Lua number would be truncated.
 */
const consumeToken = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval = 1000 / ARGV[1]
local next = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + interval
local tooSoon = next - now - ARGV[2] * interval
if tooSoon > 0.001 then return string.format('%.3f', tooSoon) end
redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.ceil(next - now))
return '0'`,
  parseCommand(parser: CommandParser, key: string, perSecond: number, burst: number) {
    parser.pushKey(key);
    parser.push(String(perSecond), String(burst));
  },
  transformReply: (reply: unknown) => Number(reply),
});

/** Returns the shared value if its version is above `version`, else 1 if the lease was free and is now taken, else 0. */
const claimFlight = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
local value = redis.call('GET', KEYS[1])
if value and tonumber(string.match(value, '^%d+')) > tonumber(ARGV[1]) then return value end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 1 end
return 0`,
  parseCommand(parser: CommandParser, keys: FlightKeys, version: number, lease: string, leaseMs: number) {
    parser.pushKeys([keys.value, keys.lease]);
    parser.push(String(version), lease, String(leaseMs));
  },
  transformReply: (reply: unknown) => reply,
});

/** Extends the lease if it still belongs to the caller. */
const renewFlight = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
if redis.call('GET', KEYS[2]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return 0`,
  parseCommand(parser: CommandParser, keys: FlightKeys, lease: string, leaseMs: number) {
    parser.pushKeys([keys.value, keys.lease]);
    parser.push(lease, String(leaseMs));
  },
  transformReply: (reply: unknown) => reply,
});

/** Stores the value unless it is empty, and deletes the lease if it still belongs to the caller. */
const settleFlight = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 1`,
  parseCommand(parser: CommandParser, keys: FlightKeys, lease: string, value: string, ttlMs: number) {
    parser.pushKeys([keys.value, keys.lease]);
    parser.push(lease, value, String(ttlMs));
  },
  transformReply: (reply: unknown) => reply,
});

export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * Creates a client that is not yet connected. While it has no connection it rejects commands instead of queueing them:
 * by the time of the next connection their results would be of no use.
 */
export function createRedisClient(url: string) {
  return createClient({
    url,
    scripts: { consumeToken, claimFlight, renewFlight, settleFlight },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED_COMMANDS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY_MS),
    },
  });
}

/** Returns the system's error code or the first word of Redis's error reply (`WRONGPASS`). Neither contains the address. */
export function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown';
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'ErrorReply';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}

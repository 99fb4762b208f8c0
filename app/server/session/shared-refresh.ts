/**
 * One refresh of a session, whichever machines are asked for it. Who holds the session's lease refreshes; the others
 * look for the record that comes of it. A lease lives for five seconds and is renewed while its holder does, so that a
 * machine that dies holds nobody up for longer.
 */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';
import type { RedisConnection } from '../shared-store/redis-connection.ts';
import type { Refreshed, SharedStore } from '../shared-store/shared-store.ts';
import { decodeSessionCookie, encodeSessionCookie, type SessionRecord } from './session-record.ts';

/** A refresh takes longer than any other request already: it can wait a little longer for the store as well. */
const TIMEOUT_MS = 1000;
const LEASE_MS = 5000;
const LEASE_RENEWAL_MS = 1500;
const LOOK_AGAIN_MS = 50;
const PATIENCE_MS = 20_000;
/** As long as a machine remembers it itself: for browsers whose new cookie never arrived. */
const SUCCESSOR_MS = 60 * 60 * 1000;

/** The record that follows on this generation, or whether the lease was to be had: 1 or 0. */
const CLAIM = `
local successor = redis.call('GET', KEYS[1])
if successor and tonumber(string.match(successor, '^%d+')) > tonumber(ARGV[1]) then return successor end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 1 end
return 0`;

/** Leaves the new record, where there is one, and gives the lease back if it still is the holder's. */
const SETTLE = `
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 1`;

const RENEW = `
if redis.call('GET', KEYS[2]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return 0`;

type Claim = { state: 'mine'; lease: string } | { state: 'busy' | 'unknown' } | Refreshed;

type SharedRefreshDeps = {
  redis: RedisConnection;
  secrets: readonly [string, ...string[]];
  clock: Clock;
};

/** What a session's keys begin with. The braces keep them together in a cluster. */
export function sessionKey(id: string): string {
  return `tenfold:{${hash('sha256', id, 'base64url')}}`;
}

/** `refreshOnce` of a store over this connection. Where the connection fails, this machine refreshes by itself. */
export function createSharedRefresh({
  redis,
  secrets,
  clock,
}: SharedRefreshDeps): SharedStore['refreshOnce'] {
  const sealer = createRecordSealer(secrets, clock);

  const evaluate = (script: string, { id }: SessionRecord, args: readonly (string | number)[]) =>
    redis.ask(
      (client) =>
        client.eval(script, {
          keys: [`${sessionKey(id)}:successor`, `${sessionKey(id)}:lease`],
          arguments: args.map(String),
        }),
      TIMEOUT_MS,
    );

  const claim = async (record: SessionRecord): Promise<Claim> => {
    const lease = randomUUID();
    // A question without an answer settles nothing, and nobody is to wait for it.
    const reply = await evaluate(CLAIM, record, [record.generation, lease, LEASE_MS]).catch(() => null);
    if (reply === null) return { state: 'unknown' };
    if (typeof reply !== 'string') return reply === 1 ? { state: 'mine', lease } : { state: 'busy' };
    const successor = await sealer.open(reply, record);
    return successor ? { state: 'refreshed', record: successor } : { state: 'unknown' };
  };

  /** Runs `refresh` while the lease is renewed, and leaves what it brings for the others. */
  const refreshAndShare = async <Outcome>(
    record: SessionRecord,
    lease: string,
    refresh: () => Promise<Refreshed | Outcome>,
  ): Promise<Refreshed | Outcome> => {
    const renewal = setInterval(() => {
      evaluate(RENEW, record, [lease, LEASE_MS]).catch(() => {});
    }, LEASE_RENEWAL_MS);
    let sealed = '';
    try {
      const outcome = await refresh();
      if (isRefreshed(outcome)) sealed = await sealer.seal(outcome.record);
      return outcome;
    } finally {
      clearInterval(renewal);
      await evaluate(SETTLE, record, [lease, sealed, SUCCESSOR_MS]).catch(() => {});
    }
  };

  return async (record, refresh) => {
    const until = clock() + PATIENCE_MS;
    for (;;) {
      const claimed = await claim(record);
      if (claimed.state === 'refreshed') return claimed;
      if (claimed.state === 'unknown') return refresh();
      if (claimed.state === 'mine') return refreshAndShare(record, claimed.lease, refresh);
      if (clock() >= until) return { state: 'busy' };
      await wait(LOOK_AGAIN_MS);
    }
  };
}

function isRefreshed(outcome: unknown): outcome is Refreshed {
  return (
    typeof outcome === 'object' && outcome !== null && 'state' in outcome && outcome.state === 'refreshed'
  );
}

/** Records as the store keeps them: the generation, which scripts compare, then what only the site's machines can read. */
function createRecordSealer(secrets: readonly [string, ...string[]], clock: Clock) {
  const sealer = createCookieSealer(secrets, 'shared session record');
  return {
    async seal(record: SessionRecord): Promise<string> {
      const bytes = encodeSessionCookie({ kind: 'session', record });
      return `${record.generation}.${await sealer.seal(bytes, clock() + SUCCESSOR_MS)}`;
    },
    /** Null for what is not of this very session: sealed with a secret that is not known here, or put there. */
    async open(value: string, { id, generation, user }: SessionRecord): Promise<SessionRecord | null> {
      const unsealed = await sealer.open(value.slice(value.indexOf('.') + 1), clock());
      const content = unsealed.state === 'open' ? decodeSessionCookie(unsealed.body) : null;
      if (content?.kind !== 'session') return null;
      const { record } = content;
      const isSuccessor = record.id === id && record.user.sub === user.sub && record.generation > generation;
      return isSuccessor ? record : null;
    },
  };
}

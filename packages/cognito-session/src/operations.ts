/** For programs beside an app: what they need to end its sessions, and to check its hosted login. */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#upstream';
import { ALL_SESSIONS, markOfUser } from './session/ended-sessions.ts';
import { createEndMarks, MAX_MARKS } from './shared-store/end-marks.ts';
import { RedisConnection } from './shared-store/redis-connection.ts';

export { createLogoutUrl, SCOPES } from './sign-in/hosted-login.ts';

const CONNECT_TIMEOUT_MS = 5000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

type EndedOptions = {
  /** As in the options of the app. */
  store: string;
  namespace: string;
  /** Seconds that the longest session lasts. */
  maxAge: number;
};

/**
 * Ends the sessions of a user, or all of them, on every machine that shares the store. Returns the time before which they
 * started, in milliseconds. Rejects with a `RangeError` when those of too many other users have been ended one by one,
 * and with an `UpstreamError` if the store does not respond. No message has its address, which may have a password.
 */
export async function endSessions(
  whose: { sub: string } | 'all',
  { store, namespace, maxAge }: EndedOptions,
): Promise<number> {
  const redis = new RedisConnection(store, {
    clock: systemClock,
    log: silent,
    metrics: { circuitChanged() {} },
  });
  const marks = createEndMarks(redis, namespace);
  const keepMs = maxAge * 1000;
  try {
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    while (!redis.isReady() && performance.now() < deadline) await wait(20);
    const mark =
      whose === 'all'
        ? await marks.replaceAll(ALL_SESSIONS, keepMs)
        : await marks.set(markOfUser(whose.sub), keepMs);
    if (mark) return mark.at;
    throw new RangeError(`The sessions of ${MAX_MARKS} users have been ended one by one already.`);
  } finally {
    redis.disconnect();
  }
}

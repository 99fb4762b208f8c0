/**
 * The sessions that visitors have ended, on every machine. Their refresh tokens are revoked. While that fails it is
 * repeated in the background, and the session stays closed for as long as it could have lived.
 */

import { LRUCache } from 'lru-cache';
import { type Clock, isUnavailable, type Log, UpstreamError, withDeadline } from '#upstream';
import type { Settings } from '../settings.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import type { UserPoolClient } from '../user-pool/user-pool-client.ts';
import { sessionHash } from './session-hash.ts';
import type { SessionRecord } from './session-record.ts';

/** `refused`: the hosted login responded, but did not revoke the token. `unavailable`: it does not work. */
export type Revocation = 'revoked' | 'refused' | 'unavailable';

type ClosedSessionsDeps = {
  env: Pick<Settings, 'session'>;
  userPoolClient: Pick<UserPoolClient, 'revoke'>;
  store: SharedStore;
  clock: Clock;
  log: Log;
};

/** Once its refresh token is revoked: no access token is valid for longer than a day. */
const CLOSED_MS = 24 * 60 * 60 * 1000;

const REVOKE_TIMEOUT_MS = 2000;

/** A copy of the cookie that is sent again and again does not burden the user pool. */
const ONE_REVOCATION = { burst: 1, perSecond: 1 / (24 * 60 * 60) };

/** About 3 MB of tokens. Of more, the one that has waited longest is dropped: its session stays closed. */
const MAX_WAITING = 1000;
const MAX_WAITING_MS = 24 * 60 * 60 * 1000;
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10 * 60 * 1000;

export class ClosedSessions {
  /** The ids of sessions by refresh token: a session that was refreshed while it ended has two. */
  readonly #waiting: LRUCache<string, string>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #pauseMs = MIN_PAUSE_MS;

  constructor(private readonly deps: ClosedSessionsDeps) {
    this.#waiting = new LRUCache({
      max: MAX_WAITING,
      ttl: MAX_WAITING_MS,
      ttlResolution: 0,
      perf: { now: deps.clock },
    });
  }

  close(id: string): Promise<void> {
    return this.deps.store.close(storeKey(id), CLOSED_MS);
  }

  /** Closes a session whose cookie is in another browser, for as long as it could live. */
  async endElsewhere(id: string): Promise<void> {
    const { env, store } = this.deps;
    const maxAgeMs = env.session.maxAge * 1000;
    // First, so that no request finds the session closed and not ended.
    await store.close(endedKey(id), maxAgeMs);
    await store.close(storeKey(id), maxAgeMs);
  }

  /**
   * Whether a closed session was ended from another browser. Its refresh token, which only its own cookie has, is revoked
   * in the background when it appears for the first time.
   */
  async wasEndedElsewhere({ id, tokens }: Pick<SessionRecord, 'id' | 'tokens'>): Promise<boolean> {
    const { store } = this.deps;
    if (!(await store.isClosed(endedKey(id)))) return false;
    const { retryAfterMs } = await store.consume(endedKey(id), ONE_REVOCATION);
    if (retryAfterMs === 0 && tokens.refreshToken !== null) {
      void this.revoke({ id, refreshToken: tokens.refreshToken });
    }
    return true;
  }

  isClosed(id: string): Promise<boolean> {
    return this.deps.store.isClosed(storeKey(id));
  }

  /** Revokes a refresh token of a closed session, in at most 2 seconds. Repeats it later if it fails. Never rejects. */
  async revoke({ id, refreshToken }: { id: string; refreshToken: string }): Promise<Revocation> {
    const { env, store, log } = this.deps;
    const { state, err } = await this.#attempt(refreshToken);
    if (state === 'revoked') return state;
    log.warn({ err, session: sessionHash(id) }, 'revoking the refresh token failed');
    await store.close(storeKey(id), env.session.maxAge * 1000);
    this.#waiting.set(refreshToken, id);
    this.#schedule();
    return state;
  }

  async #attempt(refreshToken: string): Promise<{ state: Revocation; err?: unknown }> {
    const { userPoolClient } = this.deps;
    try {
      await withDeadline(REVOKE_TIMEOUT_MS, this.#stopping.signal, (signal) =>
        userPoolClient.revoke(refreshToken, signal),
      );
      return { state: 'revoked' };
    } catch (err) {
      const isDown = err instanceof UpstreamError && isUnavailable(err);
      return { state: isDown ? 'unavailable' : 'refused', err };
    }
  }

  #schedule(): void {
    if (this.#timer || this.#stopping.signal.aborted || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#repeat(), this.#pauseMs).unref();
  }

  /** Revokes waiting tokens until that fails for one, which is the last in the next round, after twice the pause. */
  async #repeat(): Promise<void> {
    for (const refreshToken of [...this.#waiting.rkeys()]) {
      // Reading it makes it the last.
      const id = this.#waiting.get(refreshToken);
      if (id === undefined) continue;
      const { state } = await this.#attempt(refreshToken);
      if (state !== 'revoked') {
        this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
        break;
      }
      this.#waiting.delete(refreshToken);
      this.#pauseMs = MIN_PAUSE_MS;
      this.deps.log.info({ session: sessionHash(id) }, 'refresh token revoked in a later attempt');
    }
    this.#waiting.purgeStale();
    this.#timer = null;
    this.#schedule();
  }

  /** Ends the repetitions. What still waits is logged: without a shared store those sessions are no longer closed. */
  stop(): void {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    const count = this.#waiting.size;
    if (count > 0) this.deps.log.warn({ count }, 'refresh tokens of closed sessions are not revoked');
  }
}

function endedKey(id: string): string {
  return `ended session ${id}`;
}

/** The name in the store since the first release, and of the flights in which sessions are refreshed. */
export function storeKey(id: string): string {
  return `session ${id}`;
}

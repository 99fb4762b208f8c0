/**
 * A session's refresh and sign-out across all machines. The shared store sees encrypted records under hashed keys.
 */
import { createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import type { RefreshAttempt } from './refresh-attempt.ts';
import { decodeSessionCookie, encodeSessionCookie, type SessionRecord } from './session-record.ts';

export type SharedRefresh = {
  /**
   * Returns the result of `refresh`, or the record that another machine's refresh produced. `busy`: another machine is
   * still refreshing after 20 seconds. Rejects when `refresh` does.
   */
  refreshOnce(
    record: SessionRecord,
    refresh: () => Promise<RefreshAttempt>,
  ): Promise<RefreshAttempt | { state: 'busy' }>;
  /** Ends a session on every machine. */
  close(id: string): Promise<void>;
  isClosed(id: string): Promise<boolean>;
};

/** How long a closed session is remembered. No access token is valid for longer than a day. */
const CLOSED_MS = 24 * 60 * 60 * 1000;
/** The same time for which each machine stores its own refreshes, for browsers that did not receive the new cookie. */
const SUCCESSOR_MS = 60 * 60 * 1000;

type SharedRefreshDeps = { store: SharedStore; secrets: readonly [string, ...string[]]; clock: Clock };

/** Creates the shared refresh over a store. */
export function createSharedRefresh({ store, secrets, clock }: SharedRefreshDeps): SharedRefresh {
  const sealer = createCookieSealer(secrets, 'shared session record');

  const seal = (record: SessionRecord): Promise<string> =>
    sealer.seal(encodeSessionCookie({ kind: 'session', record }), clock() + SUCCESSOR_MS);

  /** Returns null unless the text is a newer record of the same session, sealed with one of this site's secrets. */
  const open = async (
    text: string,
    { id, generation, user }: SessionRecord,
  ): Promise<SessionRecord | null> => {
    const unsealed = await sealer.open(text, clock());
    const content = unsealed.state === 'open' ? decodeSessionCookie(unsealed.body) : null;
    if (content?.kind !== 'session') return null;
    const { record } = content;
    const isSuccessor = record.id === id && record.user.sub === user.sub && record.generation > generation;
    return isSuccessor ? record : null;
  };

  return {
    async refreshOnce(record, refresh) {
      const outcome = await store.singleFlight<RefreshAttempt>({
        key: storeKey(record.id),
        version: record.generation,
        run: refresh,
        share: async (attempt) =>
          attempt.state === 'refreshed'
            ? { version: attempt.record.generation, text: await seal(attempt.record) }
            : null,
        ttlMs: SUCCESSOR_MS,
      });
      if (outcome.state === 'ran') return outcome.result;
      if (outcome.state === 'timed-out') return { state: 'busy' };
      const successor = await open(outcome.text, record);
      return successor ? { state: 'refreshed', record: successor } : refresh();
    },
    close: (id) => store.revoke(storeKey(id), CLOSED_MS),
    isClosed: (id) => store.isRevoked(storeKey(id)),
  };
}

function storeKey(id: string): string {
  return `session ${id}`;
}

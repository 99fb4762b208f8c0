/**
 * Refreshes the tokens of sessions, once per session even if many requests on several machines need it at the same
 * time. All state is stored under the random id of the session, so that no session gets the tokens of another.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Env } from '../config/env.ts';
import { noMetrics } from '../observability/metrics.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { createRefreshAttempt, type RefreshAttempt, type RefreshAttemptDeps } from './refresh-attempt.ts';
import type { RefreshableRecord, SessionRecord } from './session-record.ts';
import { createSharedRefresh, type SharedRefresh } from './shared-refresh.ts';

/**
 * `adopted` marks a record that another machine's refresh produced. `refused`: the user pool ended the session.
 * `unavailable`: continue with the current tokens for now. `closed`: the visitor has signed out, or in again.
 */
type RefreshOutcome =
  | { state: 'refreshed'; record: SessionRecord; adopted: boolean }
  | { state: 'refused' | 'unavailable' | 'closed' };

export type Refresher = {
  /**
   * Returns the newest known record of a session. A browser that did not receive its new cookie, for example because
   * the navigation was canceled, still sends a refresh token that was replaced; its session continues from this record.
   */
  latest(record: SessionRecord): SessionRecord;
  /**
   * Refreshes the tokens of a session's `latest` record, or joins the refresh in progress. Never rejects. Takes at most
   * 4 seconds.
   */
  refresh(record: RefreshableRecord): Promise<RefreshOutcome>;
  /** Ends the session on every machine. A refresh in progress cannot restore it. */
  close(id: string): Promise<void>;
  isClosed(id: string): Promise<boolean>;
};

type RefresherDeps = RefreshAttemptDeps & { env: Pick<Env, 'session'>; store: SharedStore };

type Flight = { outcome: Promise<RefreshOutcome>; startedAt: number };

/**
 * How long requests wait for a refresh. A request that joins near or after the end of that time waits for one second.
 */
const MAX_WAIT_MS = 4000;
const MIN_WAIT_MS = 1000;
const REVOKE_TIMEOUT_MS = 5000;

/** At most about 25 MB of tokens. A session that was dropped is refreshed once more. */
const MAX_REMEMBERED = 5000;
const REMEMBERED_MS = 60 * 60 * 1000;

type RecentAttempts = LRUCache<string, RefreshAttempt>;

/** Creates the refresher of a process. It stores recent results, bounded in number and time. */
export function createRefresher(deps: RefresherDeps): Refresher {
  const { env, store, clock } = deps;
  const shared = createSharedRefresh({ store, secrets: env.session.secrets, clock });
  const recent: RecentAttempts = new LRUCache({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  const run = createRun(deps, shared, recent);
  const inProgress = new Map<string, Flight>();

  return {
    latest(record) {
      const last = recent.get(record.id);
      const isNewer = last?.state === 'refreshed' && last.record.generation > record.generation;
      return isNewer ? last.record : record;
    },

    async refresh(record) {
      let flight = inProgress.get(record.id);
      if (!flight) {
        const outcome = run(record).finally(() => inProgress.delete(record.id));
        flight = { outcome, startedAt: performance.now() };
        inProgress.set(record.id, flight);
      }
      return waitFor(flight);
    },

    close(id) {
      recent.delete(id);
      return shared.close(id);
    },

    isClosed: shared.isClosed,
  };
}

/**
 * Creates the function that performs a flight: one refresh, unless a recent one makes it unnecessary. Never rejects.
 */
function createRun(deps: RefresherDeps, shared: SharedRefresh, recent: RecentAttempts) {
  const { clock, metrics = noMetrics } = deps;
  const attempt = createRefreshAttempt(deps);

  const run = async (record: RefreshableRecord): Promise<RefreshOutcome> => {
    if (await shared.isClosed(record.id)) return { state: 'closed' };
    const last = recent.get(record.id);
    if (last?.state === 'refused' && last.generation >= record.generation) return { state: 'refused' };
    if (last?.state === 'unavailable' && clock() < last.retryAt) return { state: 'unavailable' };
    let ranHere = false;
    const next = await shared.refreshOnce(record, () => {
      ranHere = true;
      return attempt(record, last?.state === 'unavailable' ? last : null);
    });
    if (await shared.isClosed(record.id)) {
      if (next.state === 'refreshed') await revoke(next.record, deps);
      return { state: 'closed' };
    }
    if (next.state === 'busy') return { state: 'unavailable' };
    recent.set(record.id, next);
    return next.state === 'refreshed' ? { ...next, adopted: !ranHere } : { state: next.state };
  };

  return async (record: RefreshableRecord): Promise<RefreshOutcome> => {
    const outcome = await run(record);
    const isAdopted = outcome.state === 'refreshed' && outcome.adopted;
    metrics.refreshEnded(isAdopted ? 'adopted' : outcome.state);
    return outcome;
  };
}

/** Revokes the new refresh token of a session that was closed during its refresh. */
async function revoke({ tokens }: SessionRecord, { userPoolClient, log }: RefresherDeps): Promise<void> {
  if (tokens.refreshToken === null) return;
  await userPoolClient
    .revoke(tokens.refreshToken, AbortSignal.timeout(REVOKE_TIMEOUT_MS))
    .catch((err: unknown) => log.warn({ err }, 'revoking the refresh token of a closed session failed'));
}

/** Returns the outcome, or `unavailable` when it takes too long. The refresh itself continues for later requests. */
async function waitFor({ outcome, startedAt }: Flight): Promise<RefreshOutcome> {
  const waitMs = Math.max(startedAt + MAX_WAIT_MS - performance.now(), MIN_WAIT_MS);
  const settled = new AbortController();
  const timeout = wait<RefreshOutcome>(waitMs, { state: 'unavailable' }, { signal: settled.signal });
  const first = await Promise.race([outcome, timeout.catch(() => outcome)]);
  settled.abort();
  return first;
}

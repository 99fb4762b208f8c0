/**
 * Completes sign-in attempts, each of them once. A callback that arrives again, because the visitor reloads it or the
 * browser sends it twice, gets the result of the first one for thirty seconds, on all machines that share a store.
 * Callers have opened the cookie of the attempt, so that no other browser gets the result.
 */

import { LRUCache } from 'lru-cache';
import type { Clock, Log } from '#upstream';
import { RecordSealer } from '../session/record-sealer.ts';
import type { SessionRecord } from '../session/session-record.ts';
import type { Settings } from '../settings.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { SignInError, type SignInErrorCode, signInErrorCodes } from '../user-pool/sign-in-error.ts';
import { ATTEMPT_SECONDS, type SignInAttempt } from './sign-in-attempt.ts';
import { isCodeRejected, logSignInFailure, toSignInError } from './sign-in-failure.ts';

/** The new session, or why there is none. */
export type CompletedSignIn = { record: SessionRecord } | { error: SignInErrorCode };

type SignInCompletionDeps = {
  env: Pick<Settings, 'session'>;
  store: SharedStore;
  clock: Clock;
  log: Log;
};

const REMEMBERED_MS = 30_000;
/** At most about 20 MB of tokens. An attempt that was dropped counts as used. */
const MAX_REMEMBERED = 2000;

/** One use in the time for which a browser may keep the cookie of an attempt. */
const ONE_USE = { burst: 1, perSecond: 1 / ATTEMPT_SECONDS };

export class SignInCompletion {
  /** By `state`, from the start of the exchange on. */
  readonly #recent: LRUCache<string, Promise<CompletedSignIn>>;
  /** Whether the token endpoint has rejected a code since the last success. */
  #hasRejectedCode = false;

  constructor(private readonly deps: SignInCompletionDeps) {
    this.#recent = new LRUCache({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_MS,
      ttlResolution: 0,
      perf: { now: deps.clock },
    });
  }

  /** Calls `redeem`, which redeems the code of the attempt, or joins the call that does. Never rejects. */
  complete(attempt: SignInAttempt, redeem: () => Promise<SessionRecord>): Promise<CompletedSignIn> {
    const known = this.#recent.get(attempt.state);
    if (known) return known;
    const completed = this.#completeOnce(attempt, redeem);
    this.#recent.set(attempt.state, completed);
    return completed;
  }

  async #completeOnce(
    attempt: SignInAttempt,
    redeem: () => Promise<SessionRecord>,
  ): Promise<CompletedSignIn> {
    const { env, store, clock } = this.deps;
    const key = `sign-in ${attempt.state}`;
    // The name binds the record to the attempt: with another record in the store, another visitor would be signed in.
    const sealer = new RecordSealer(env.session, `shared ${key}`);
    const flight = await store.singleFlight<CompletedSignIn>({
      key,
      version: 0,
      run: () => this.#redeem(attempt, redeem),
      share: async (result) => ({
        version: 1,
        text: 'record' in result ? await sealer.seal(result.record, clock() + REMEMBERED_MS) : result.error,
      }),
      ttlMs: REMEMBERED_MS,
    });
    if (flight.state === 'ran') return flight.result;
    const record = flight.state === 'found' ? await sealer.open(flight.text, clock()) : null;
    if (record) return { record };
    const shared = flight.state === 'found' ? flight.text : null;
    return { error: signInErrorCodes.find((code) => code === shared) ?? 'unavailable' };
  }

  async #redeem(attempt: SignInAttempt, redeem: () => Promise<SessionRecord>): Promise<CompletedSignIn> {
    const { store, clock, log } = this.deps;
    try {
      const { retryAfterMs } = await store.consume(`sign-in ${attempt.state}`, ONE_USE);
      if (retryAfterMs > 0) throw new SignInError('expired', 'the attempt was used before');
      const record = await redeem();
      this.#hasRejectedCode = false;
      return { record };
    } catch (error) {
      const failure = toSignInError(error, clock() - attempt.startedAt, this.#hasRejectedCode);
      if (isCodeRejected(error)) this.#hasRejectedCode = true;
      logSignInFailure(log, failure);
      return { error: failure.code };
    }
  }
}

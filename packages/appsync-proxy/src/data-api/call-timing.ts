/**
 * How long each leg of a data API call took. The legs follow each other: opening the session, fetching AWS credentials
 * (`identity`), signing, and the request to the data API (`upstream`). A pause (`pause`) is before each further attempt.
 */

export type CallLeg = 'session' | 'identity' | 'sign' | 'upstream' | 'pause';

type AttemptLeg = Exclude<CallLeg, 'session' | 'pause'>;

/** Durations in milliseconds of each leg of a call, summed over all attempts. */
export type CallTiming = Record<CallLeg, number> & {
  identityCached: boolean;
  attempts: number;
};

/** The timing of a call without a result. */
export type FailedCallTiming = CallTiming & {
  /** The leg in which the last attempt failed. Null if no attempt was made after the session was opened. */
  failedLeg: CallLeg | null;
};

export type CallTimer = {
  /** Updated whenever a leg ends. */
  readonly timing: CallTiming;
  /** Ends the current leg or pause, if there is one, and begins a leg. */
  begin(leg: AttemptLeg): void;
  /** Ends the current leg. What follows is a pause. */
  stop(): void;
  /** The timing of a call that failed in the leg that began last. */
  failed(): FailedCallTiming;
};

/** Measures one call. `session` is the time in milliseconds that opening the session took. */
export function createCallTimer(session: number): CallTimer {
  const timing: CallTiming = {
    session,
    identity: 0,
    sign: 0,
    upstream: 0,
    pause: 0,
    identityCached: true,
    attempts: 0,
  };
  let last: AttemptLeg | null = null;
  let isRunning = false;
  let startedAt = 0;

  const end = () => {
    const now = performance.now();
    if (last !== null) timing[isRunning ? last : 'pause'] += now - startedAt;
    startedAt = now;
  };
  return {
    timing,
    begin(leg) {
      end();
      last = leg;
      isRunning = true;
    },
    stop() {
      end();
      isRunning = false;
    },
    failed() {
      end();
      return { ...timing, failedLeg: last };
    },
  };
}

/** One request to several equivalent hosts: the next host is tried when the previous one is slow or fails. */

/** Calls `callback` after `ms` milliseconds. Returns a function that cancels it. */
export type Schedule = (callback: () => void, ms: number) => () => void;

/** Resolves with a host's response, or null if it responds "not found". Rejects on every other failure. */
type HostRequest<T> = (host: string, signal: AbortSignal) => Promise<T | null>;

export type FailureReason = 'unavailable' | 'timed-out';

export type RaceOutcome<T> =
  | { state: 'loaded'; value: T }
  | { state: 'not-found' }
  | { state: 'failed'; reason: FailureReason };

export type HostRace = {
  /**
   * Tries the host that responded last, then the others in order. The next host is tried immediately after a failure,
   * and in parallel after 750 ms. "Not found" from any host ends the race. Never rejects. A response that arrives after
   * the race has failed is passed to `onLate`.
   */
  run<T>(request: HostRequest<T>, onLate: (value: T) => void): Promise<RaceOutcome<T>>;
};

export type RaceOptions = {
  hosts: readonly string[];
  schedule?: Schedule;
  /** Milliseconds to wait for responses after the last host was tried and its 750 ms have passed. */
  giveUpMs?: number;
};

const NEXT_HOST_MS = 750;
const GIVE_UP_MS = 5000;

export const scheduleTimeout: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** Creates the race between `hosts`. The host that responded last is tried first in the next race. */
export function createHostRace({
  hosts,
  schedule = scheduleTimeout,
  giveUpMs = GIVE_UP_MS,
}: RaceOptions): HostRace {
  let first = 0;
  return {
    run: (request, onLate) =>
      new Promise((resolve) => {
        const order = [...hosts.slice(first), ...hosts.slice(0, first)];
        const onWinner = (host: string) => {
          first = hosts.indexOf(host);
        };
        startRace({ hosts: order, request, schedule, giveUpMs, onWinner, onLate, onOutcome: resolve });
      }),
  };
}

type Race<T> = Required<RaceOptions> & {
  request: HostRequest<T>;
  onWinner(host: string): void;
  onLate(value: T): void;
  onOutcome(outcome: RaceOutcome<T>): void;
};

function startRace<T>({ hosts, request, schedule, giveUpMs, onWinner, onLate, onOutcome }: Race<T>): void {
  const untried = [...hosts];
  const controller = new AbortController();
  let pending = 0;
  let state: 'racing' | 'failed' | 'ended' = 'racing';
  let cancelTimer = () => {};

  const fail = (reason: FailureReason) => {
    state = 'failed';
    onOutcome({ state: 'failed', reason });
  };
  const tryNext = () => {
    cancelTimer();
    const host = untried.shift();
    if (host !== undefined) {
      pending += 1;
      cancelTimer = schedule(tryNext, NEXT_HOST_MS);
      request(host, controller.signal).then((value) => onResponse(host, value), onFailure);
    } else if (pending > 0) {
      cancelTimer = schedule(() => fail('timed-out'), giveUpMs);
    } else {
      fail('unavailable');
    }
  };
  const onResponse = (host: string, value: T | null) => {
    if (state === 'ended') return;
    const isLate = state === 'failed';
    state = 'ended';
    cancelTimer();
    controller.abort();
    if (value !== null) onWinner(host);
    if (isLate && value !== null) onLate(value);
    onOutcome(value === null ? { state: 'not-found' } : { state: 'loaded', value });
  };
  const onFailure = () => {
    pending -= 1;
    if (state === 'racing' && (untried.length > 0 || pending === 0)) tryNext();
  };
  tryNext();
}

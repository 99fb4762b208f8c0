/** One question to several hosts that can all answer it, the next when the one before is slow or fails. */

/** Calls back in `ms` milliseconds, unless what it gives is called before. */
export type Schedule = (callback: () => void, ms: number) => () => void;

/** Resolves with a host's answer, or null where it says that there is no such thing; rejects for every other failure. */
export type Ask<T> = (host: string, signal: AbortSignal) => Promise<T | null>;

export type RaceOutcome<T> =
  | { state: 'answered'; value: T }
  | { state: 'not-found' }
  | { state: 'failed'; reason: 'refused' | 'timed-out' };

export type HostRace = {
  /**
   * Asks the host that answered last, then the others in their order: the next one at once after a failure, and beside
   * the one before after 750 ms. A host that knows of no such thing ends the race. Never rejects. What arrives after
   * the race was given up goes to `onLate`.
   */
  run<T>(ask: Ask<T>, onLate: (value: T) => void): Promise<RaceOutcome<T>>;
};

export type RaceOptions = {
  hosts: readonly string[];
  schedule?: Schedule;
  /** How long the last host is waited for, in milliseconds. */
  giveUpMs?: number;
};

const NEXT_HOST_MS = 750;
const GIVE_UP_MS = 5000;

export const scheduleTimeout: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** Races between `hosts`; it remembers which one answered last. */
export function createHostRace({
  hosts,
  schedule = scheduleTimeout,
  giveUpMs = GIVE_UP_MS,
}: RaceOptions): HostRace {
  let first = 0;
  return {
    run: (ask, onLate) =>
      new Promise((resolve) => {
        const order = [...hosts.slice(first), ...hosts.slice(0, first)];
        const onWinner = (host: string) => {
          first = hosts.indexOf(host);
        };
        startRace({ hosts: order, ask, schedule, giveUpMs, onWinner, onLate, onOutcome: resolve });
      }),
  };
}

type Race<T> = Required<RaceOptions> & {
  ask: Ask<T>;
  onWinner(host: string): void;
  onLate(value: T): void;
  onOutcome(outcome: RaceOutcome<T>): void;
};

function startRace<T>({ hosts, ask, schedule, giveUpMs, onWinner, onLate, onOutcome }: Race<T>): void {
  const waiting = [...hosts];
  const controller = new AbortController();
  let pending = 0;
  let state: 'racing' | 'given-up' | 'over' = 'racing';
  let cancelTimer = () => {};

  const giveUp = (reason: 'refused' | 'timed-out') => {
    state = 'given-up';
    onOutcome({ state: 'failed', reason });
  };
  const askNext = () => {
    cancelTimer();
    const host = waiting.shift();
    if (host !== undefined) {
      pending += 1;
      cancelTimer = schedule(askNext, NEXT_HOST_MS);
      ask(host, controller.signal).then((value) => answered(host, value), failed);
    } else if (pending > 0) {
      cancelTimer = schedule(() => giveUp('timed-out'), giveUpMs);
    } else {
      giveUp('refused');
    }
  };
  const answered = (host: string, value: T | null) => {
    if (state === 'over') return;
    const isLate = state === 'given-up';
    state = 'over';
    cancelTimer();
    controller.abort();
    if (value !== null) onWinner(host);
    if (isLate && value !== null) onLate(value);
    onOutcome(value === null ? { state: 'not-found' } : { state: 'answered', value });
  };
  const failed = () => {
    pending -= 1;
    if (state === 'racing' && (waiting.length > 0 || pending === 0)) askNext();
  };
  askNext();
}

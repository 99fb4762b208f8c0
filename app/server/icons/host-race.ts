/** One request to several equivalent hosts: the next host is tried when the previous one is slow or fails. */
import { UpstreamError } from '@tenfold/upstream';

/** Calls `callback` after `ms` milliseconds. Returns a function that cancels it. */
export type Schedule = (callback: () => void, ms: number) => () => void;

/** Resolves with a host's response, or null if it responds "not found". Rejects on every other failure. */
type HostRequest<T> = (host: string, signal: AbortSignal) => Promise<T | null>;

export type RaceOptions = {
  hosts: readonly string[];
  schedule: Schedule;
  /** Milliseconds to wait for responses after the last host was tried and its 750 ms have passed. */
  giveUpMs: number;
};

const NEXT_HOST_MS = 750;

export const scheduleTimeout: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

export class HostRace {
  /** The index of the host that responded last. It is tried first. */
  #first = 0;

  constructor(private readonly options: RaceOptions) {}

  /**
   * Returns the first response of a host, null for "not found". The next host is tried immediately after a failure, and
   * in parallel after 750 ms; "not found" ends the race. Rejects with an `UpstreamError` of the service `icon-api` when
   * all hosts have failed, or when time is up. A response that arrives after that is passed to `onLate`.
   */
  run<T>(request: HostRequest<T>, onLate: (value: T) => void): Promise<T | null> {
    const { hosts, schedule, giveUpMs } = this.options;
    const untried = [...hosts.slice(this.#first), ...hosts.slice(0, this.#first)];
    const controller = new AbortController();
    let pending = 0;
    let hasFailed = false;
    let cancelTimer = () => {};

    return new Promise((resolve, reject) => {
      const fail = (code: 'NetworkError' | 'TimeoutError') => {
        hasFailed = true;
        reject(new UpstreamError('icon-api', code, 'No host of the icon API sent a valid response.'));
      };
      const tryNext = () => {
        cancelTimer();
        const host = untried.shift();
        if (host !== undefined) {
          pending += 1;
          cancelTimer = schedule(tryNext, NEXT_HOST_MS);
          request(host, controller.signal).then((value) => onResponse(host, value), onFailure);
        } else if (pending > 0) {
          cancelTimer = schedule(() => fail('TimeoutError'), giveUpMs);
        } else {
          fail('NetworkError');
        }
      };
      const onResponse = (host: string, value: T | null) => {
        if (controller.signal.aborted) return;
        controller.abort();
        cancelTimer();
        if (value !== null) this.#first = hosts.indexOf(host);
        if (value !== null && hasFailed) onLate(value);
        resolve(value);
      };
      const onFailure = () => {
        pending -= 1;
        const isOpen = !hasFailed && !controller.signal.aborted;
        if (isOpen && (untried.length > 0 || pending === 0)) tryNext();
      };
      tryNext();
    });
  }
}

import type { Log } from '@tenfold/site-server';

const INTERVAL_MS = 1000;

/** Measures every second how many bytes of memory the process uses, and logs the most when the process stops. */
export class MemoryPeak {
  #measured = 0;
  #bytes = 0;
  readonly #log: Log;
  readonly #timer = setInterval(() => this.#measure(), INTERVAL_MS);

  constructor(log: Log) {
    this.#log = log;
  }

  #measure(): void {
    this.#measured += 1;
    this.#bytes = Math.max(this.#bytes, process.memoryUsage.rss());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#log.info({ measured: this.#measured, bytes: this.#bytes }, 'memory peak');
  }
}

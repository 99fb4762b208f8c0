/** Writes log lines to a stream whose faults are no faults of the site: lines may be lost, and no request waits. */
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerMetrics } from '../rules.ts';

/** How many characters may wait for a reader that is slow. Further lines are dropped. */
const MAX_PENDING = 256 * 1024;
/** How long a reader may take for what is pending when the process ends, in milliseconds. */
const END_MS = 500;

export class LogOutput {
  /** Called with the number of all lines dropped so far, when lines are written again. */
  onResumed: (dropped: number) => void = () => {};
  #dropped = 0;
  #reported = 0;
  #isCorked = false;

  constructor(
    private readonly stream: Writable = process.stdout,
    private readonly metrics: Pick<ServerMetrics, 'logLineDropped'> = { logLineDropped() {} },
  ) {
    // Errors are handled where a line is written. Without any listener they would end the process.
    if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  }

  write(line: string): void {
    if (this.stream.writableLength > MAX_PENDING) {
      this.#drop('stalled');
      return;
    }
    if (!this.#isCorked) this.#cork();
    this.stream.write(line, (error) => this.#written(error));
  }

  /** Resolves when what is pending is written, and after half a second otherwise. */
  async end(): Promise<void> {
    if (this.stream.writableLength === 0) return;
    const written = new Promise((resolve) => this.stream.write('', resolve));
    await Promise.race([written, sleep(END_MS)]);
  }

  /** Lines of the same round of the event loop are written together; when the process exits, at once. */
  #cork(): void {
    this.#isCorked = true;
    this.stream.cork();
    const uncork = () => {
      clearImmediate(timer);
      process.off('exit', uncork);
      this.#isCorked = false;
      this.stream.uncork();
    };
    const timer = setImmediate(uncork);
    process.on('exit', uncork);
  }

  #written(error: NodeJS.ErrnoException | null | undefined): void {
    if (error) this.#drop(error.code ?? error.name);
    else if (this.#dropped > this.#reported && this.stream.writableLength === 0) {
      this.#reported = this.#dropped;
      this.onResumed(this.#dropped);
    }
  }

  #drop(reason: string): void {
    // The console ignores errors of standard error, which may be broken too.
    if (this.#dropped === 0) console.error(`Log lines are dropped: standard output has failed (${reason}).`);
    this.#dropped += 1;
    this.metrics.logLineDropped(reason);
  }
}

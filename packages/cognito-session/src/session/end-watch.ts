/** Tells what is open for longer than a request, such as an event stream, when its session has ended. */
import type { SessionRecord } from './session-record.ts';

/** With the check itself it takes less than a second to notice an end. */
const CHECK_INTERVAL_MS = 500;

type Watcher = { record: SessionRecord; onEnd: () => void };

export class EndWatch {
  /** By session: several streams of a session are one question to the store. */
  readonly #watchers = new Map<string, Set<Watcher>>();
  #timer: NodeJS.Timeout | null = null;

  /** `hasEnded` must not reject. */
  constructor(private readonly hasEnded: (record: SessionRecord) => Promise<boolean>) {}

  /** Calls `onEnd` once, when the session has ended. Returns a function that stops the watch. */
  watch(record: SessionRecord, onEnd: () => void): () => void {
    const watcher = { record, onEnd };
    const { id } = record;
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#forget(id);
    };
  }

  #check(): void {
    for (const [id, watchers] of this.#watchers) void this.#checkSession(id, watchers);
  }

  async #checkSession(id: string, watchers: ReadonlySet<Watcher>): Promise<void> {
    const [first] = watchers;
    if (!first || !(await this.hasEnded(first.record))) return;
    if (this.#watchers.get(id) !== watchers) return;
    this.#forget(id);
    for (const { onEnd } of watchers) onEnd();
  }

  #forget(id: string): void {
    this.#watchers.delete(id);
    if (this.#watchers.size === 0) this.stop();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

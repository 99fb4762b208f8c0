/**
 * State that the machines of a site share: closed keys, single flights and token buckets. A single machine uses the
 * in-memory store. Several machines use Valkey or Redis.
 */
import type { EndMarks } from './end-marks.ts';
import type { ConsumeResult, TokenBucket } from './token-bucket.ts';

/** No method rejects because the store is unreachable: each machine then continues on its own. */
export type SharedStore = {
  /** Closes `key` on every machine, for `ttlMs`. */
  close(key: string, ttlMs: number): Promise<void>;
  isClosed(key: string): Promise<boolean>;
  /**
   * Single flight across machines: of concurrent calls with one key, one machine runs and the others wait for the value
   * that it shares. Rejects when `run` or `share` does. Concurrent calls on the same machine are not joined.
   */
  singleFlight<Result>(flight: SharedFlight<Result>): Promise<SharedFlightOutcome<Result>>;
  /** Consumes one token from the bucket of `key`. */
  consume(key: string, bucket: TokenBucket): Promise<ConsumeResult>;
  /** The marks that the operator sets. Null for the store of a single machine, which no other process reaches. */
  endMarks: Pick<EndMarks, 'since'> | null;
  /** Null for the store of a single machine. */
  entries: SharedEntries | null;
  /** Ends the connection, if there is one. */
  disconnect(): void;
};

/** Texts by name, in groups that all machines read. Secrets in a text must be encrypted. No method rejects. */
export type SharedEntries = {
  /** Stores a text, and keeps its group for `keepMs`. Returns whether the store has it. */
  put(group: string, name: string, text: string, keepMs: number): Promise<boolean>;
  /** Returns null while the store does not respond. */
  list(group: string): Promise<{ name: string; text: string }[] | null>;
  remove(group: string, name: string): Promise<void>;
};

export type SharedFlight<Result> = {
  key: string;
  /** A stored value with a higher version makes the run unnecessary. */
  version: number;
  run(): Promise<Result>;
  /** Returns what the other machines get of a result, or null for nothing. Secrets in the value must be encrypted. */
  share(result: Result): Promise<SharedValue | null>;
  /** How long the shared value is stored, in milliseconds. */
  ttlMs: number;
};

type SharedValue = { version: number; text: string };

/** `found` is the value of another run. `timed-out`: another machine is still running after 20 seconds. */
type SharedFlightOutcome<Result> =
  | { state: 'ran'; result: Result }
  | { state: 'found'; text: string }
  | { state: 'timed-out' };

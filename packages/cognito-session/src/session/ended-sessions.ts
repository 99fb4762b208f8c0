/**
 * The sessions that an operator has ended, by user or all of them. Each machine reads the marks in the shared store four
 * times a second and keeps them in memory, so that requests wait for nothing but the first read, and the first one after
 * the process stood still.
 */
import { hash } from 'node:crypto';
import type { Clock } from '#upstream';
import { type EndMark, type EndMarks, MAX_MARKS } from '../shared-store/end-marks.ts';

/** When a session of a user started (milliseconds). */
type StartOfSession = { startedAt: number; user: { sub: string } };

/** The mark that ends every session. */
export const ALL_SESSIONS = 'all';

const READ_INTERVAL_MS = 250;

/** How long the requests of a new process, or of one that stood still, wait for a read. */
const FIRST_READ_TIMEOUT_MS = 2000;

/** A process that has not tried to read for as long stood still, such as that of a suspended machine. */
const STANDSTILL_MS = 5000;

/** Marks of this time before the last read are read again: the clocks of the machines may differ by as much. */
const OVERLAP_MS = 60_000;

type EndedSessionsOptions = {
  /** Null for a machine without a shared store: no session is ended. */
  marks: Pick<EndMarks, 'since'> | null;
  clock: Clock;
  /** The longest life of a session, in seconds. Older marks are forgotten. */
  maxAge: number;
};

/** Returns the name of the mark that ends the sessions of a user. The store gets no user ids. */
export function markOfUser(sub: string): string {
  return hash('sha256', `sessions of ${sub}`, 'base64url').slice(0, 22);
}

/** The ended sessions of a process. It reads the marks at once and from then on. */
export class EndedSessions {
  /** When the sessions of each mark ended, in milliseconds. */
  readonly #ends = new Map<string, number>();
  /** What requests wait for: a read of this process, or the end of their patience. */
  #awaitedRead: Promise<void> | null = null;
  #endWait = () => {};
  #waitingSince = 0;
  #triedAt = 0;
  #readUntil = 0;
  #isReading = false;

  constructor(private readonly options: EndedSessionsOptions) {
    const { marks } = options;
    if (marks === null) return;
    void this.#read(marks);
    setInterval(() => this.#read(marks), READ_INTERVAL_MS).unref();
  }

  /**
   * Whether the session started before an operator ended those of its user, or all. In the first two seconds of
   * a process, and after it stood still, it waits for a read. Never rejects.
   */
  async has({ startedAt, user }: StartOfSession): Promise<boolean> {
    const { marks, clock } = this.options;
    if (marks && clock() - this.#triedAt > STANDSTILL_MS) void this.#read(marks);
    await this.#awaitedRead;
    if (this.#ends.size === 0) return false;
    return startedAt <= Math.max(this.#endOf(ALL_SESSIONS), this.#endOf(markOfUser(user.sub)));
  }

  #endOf(mark: string): number {
    return this.#ends.get(mark) ?? 0;
  }

  /** Lets requests wait for the next read that succeeds, for at most two seconds. */
  #waitForRead(now: number): void {
    this.#waitingSince = now;
    this.#awaitedRead = new Promise((resolve) => {
      this.#endWait = resolve;
      setTimeout(resolve, FIRST_READ_TIMEOUT_MS).unref();
    });
  }

  /** Reads new marks, after a connection was lost those since the last read. */
  async #read(marks: Pick<EndMarks, 'since'>): Promise<void> {
    const now = this.options.clock();
    if (now - this.#triedAt > STANDSTILL_MS) this.#waitForRead(now);
    this.#triedAt = now;
    if (this.#isReading) return;
    this.#isReading = true;
    const read = await marks.since(Math.max(0, this.#readUntil - OVERLAP_MS));
    this.#isReading = false;
    if (read === null) return;
    this.#readUntil = now;
    this.#merge(read);
    // Not a read from before the standstill.
    if (now >= this.#waitingSince) this.#endWait();
  }

  /**
   * Marks stay when the store loses them. A mark older than a session can be, or than the mark for all sessions, is not
   * needed. Of too many marks, those of users are dropped: the mark for all sessions stays.
   */
  #merge(read: readonly EndMark[]): void {
    const { clock, maxAge } = this.options;
    const ends = this.#ends;
    for (const { name, at } of read) ends.set(name, Math.max(at, this.#endOf(name)));
    const oldest = Math.max(clock() - maxAge * 1000, this.#endOf(ALL_SESSIONS));
    for (const [name, at] of ends) if (at < oldest) ends.delete(name);
    for (const name of ends.keys()) if (name !== ALL_SESSIONS && ends.size > MAX_MARKS) ends.delete(name);
  }
}

/**
 * The sessions that an operator has ended, by user or all of them. Each machine reads the marks in the shared store four
 * times a second and keeps them in memory, so that requests wait for nothing but the first read.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../resilience/clock.ts';
import { type EndMark, type EndMarks, MAX_MARKS } from '../shared-store/end-marks.ts';
import type { SessionRecord } from './session-record.ts';

/** The mark that ends every session. */
export const ALL_SESSIONS = 'all';

const READ_INTERVAL_MS = 250;

/** How long the requests of a new process wait for its first read. */
const FIRST_READ_TIMEOUT_MS = 2000;

/** Marks of this time before the last read are read again: the clocks of the machines may differ by as much. */
const OVERLAP_MS = 60_000;

export type EndedSessions = {
  /**
   * Whether the session started before an operator ended those of its user, or all. In the first two seconds of
   * a process it waits for the first read. Never rejects.
   */
  has(record: Pick<SessionRecord, 'startedAt' | 'user'>): Promise<boolean>;
};

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

/** Creates the ended sessions of a process, and reads the marks at once and from then on. */
export function createEndedSessions({ marks, clock, maxAge }: EndedSessionsOptions): EndedSessions {
  const ends = new Map<string, number>();
  const firstRead =
    marks && readRepeatedly(marks, clock, (read) => merge(ends, read, clock() - maxAge * 1000));
  return {
    async has({ startedAt, user }) {
      await firstRead;
      if (ends.size === 0) return false;
      const end = Math.max(ends.get(ALL_SESSIONS) ?? 0, ends.get(markOfUser(user.sub)) ?? 0);
      return startedAt <= end;
    },
  };
}

/**
 * Marks stay when the store loses them. A mark older than `oldest`, or than the mark for all sessions, is not needed. Of too
 * many marks, those of users are dropped: the mark for all sessions stays.
 */
function merge(ends: Map<string, number>, read: readonly EndMark[], oldest: number): void {
  for (const { name, at } of read) ends.set(name, Math.max(at, ends.get(name) ?? 0));
  const all = ends.get(ALL_SESSIONS) ?? 0;
  for (const [name, at] of ends) if (at < Math.max(oldest, all)) ends.delete(name);
  for (const name of ends.keys()) if (name !== ALL_SESSIONS && ends.size > MAX_MARKS) ends.delete(name);
}

/**
 * Calls `onRead` with new marks, after a connection was lost with those since the last read. Returns a promise of the end
 * of the first read, or of the time that requests wait for it.
 */
function readRepeatedly(
  marks: Pick<EndMarks, 'since'>,
  clock: Clock,
  onRead: (read: readonly EndMark[]) => void,
): Promise<void> {
  let readUntil = 0;
  let isReading = false;
  const read = async () => {
    if (isReading) return;
    isReading = true;
    const now = clock();
    const found = await marks.since(Math.max(0, readUntil - OVERLAP_MS));
    isReading = false;
    if (found === null) return;
    readUntil = now;
    onRead(found);
  };
  setInterval(read, READ_INTERVAL_MS).unref();
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_READ_TIMEOUT_MS).unref();
    void read().finally(resolve);
  });
}

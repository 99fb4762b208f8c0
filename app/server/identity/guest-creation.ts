/**
 * Creates one guest identity for simultaneous first requests of a browser. Such requests have no cookie in common. Each is
 * therefore redirected once, with a cookie that marks the browser. The redirected request carries the marks of all
 * requests that were answered before it, and requests with a mark in common share one identity. Nothing else, such as the
 * address, identifies the browser, so two visitors never share an identity.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CallController, type CallSignal } from '../resilience/call-signal.ts';
import type { Clock } from '../resilience/clock.ts';
import { untilAborted } from '../resilience/deadline.ts';

export type GuestCreation = {
  /** Returns a new mark. */
  createMark(): string;
  /** Whether a text has the form of a mark. */
  isMark(text: string): boolean;
  /**
   * Returns the id of the identity that another request with one of these marks created within the last minute, or is
   * creating, else of a new one. Rejects like `create`, or with the reason of `signal`; the creation then continues for
   * other requests.
   */
  createOnce(marks: readonly string[], signal: CallSignal): Promise<string>;
};

/** In seconds. Also how long a created identity is remembered. */
export const MARK_MAX_AGE_SECONDS = 60;

const MARK_BYTES = 16;
const MARK = /^[\w-]{22}$/;
/** About 200 bytes each. Without its entry, a request creates an identity of its own. */
const MAX_REMEMBERED = 10_000;

type GuestCreationOptions = { create: (signal: CallSignal) => Promise<string>; clock: Clock };

/** Creates the shared creation of a process. Machines do not share creations. */
export function createGuestCreation({ create, clock }: GuestCreationOptions): GuestCreation {
  const creations = new LRUCache<string, Promise<string>>({
    max: MAX_REMEMBERED,
    ttl: MARK_MAX_AGE_SECONDS * 1000,
    ttlResolution: 0,
    perf: { now: clock },
  });

  const remember = (marks: readonly string[], creation: Promise<string>): void => {
    for (const mark of marks) creations.set(mark, creation);
    creation.catch(() => {
      for (const mark of marks) if (creations.peek(mark) === creation) creations.delete(mark);
    });
  };

  return {
    createMark: () => randomBytes(MARK_BYTES).toString('base64url'),

    isMark: (text) => MARK.test(text),

    async createOnce(marks, signal) {
      if (marks.length === 0) return create(signal);
      const known = marks.map((mark) => creations.get(mark)).find((creation) => creation !== undefined);
      const creation = known ?? create(new CallController());
      remember(marks, creation);
      return untilAborted(creation, signal);
    },
  };
}

import { randomBytes } from 'node:crypto';
import { readCookie, serializeCookie } from '../http/cookies.ts';
import type { Clock, CloudRequest } from '../http/exchange.ts';
import type { MessageKey } from './messages.ts';

const COOKIE = 'XSRF-TOKEN';
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const MAX_VISITORS = 10_000;

/** What a browser is in the middle of. */
export type Remembered = {
  /** Whose code it was sent to enter, and what for. */
  awaitsCode?: { email: string; purpose: 'signUp' | 'reset' };
  /** Said once, on the next page. */
  notice?: MessageKey;
};

export type VisitorMemory = {
  /** The browser's id, with a `Set-Cookie` when it is new. Forms repeat the id, which a foreign site cannot know. */
  identify(request: CloudRequest): { visitorId: string; cookie: string | null };
  recall(visitorId: string): Remembered;
  remember(visitorId: string, remembered: Remembered): void;
  clear(): void;
};

/** Remembers, in memory and for a day at most, which code a browser is to enter. */
export function createVisitorMemory({ clock }: { clock: Clock }): VisitorMemory {
  const visitors = new Map<string, { remembered: Remembered; at: number }>();
  return {
    identify(request) {
      const known = readCookie(request, COOKIE);
      if (known !== undefined && /^[\w-]{43}$/.test(known)) return { visitorId: known, cookie: null };
      const visitorId = randomBytes(32).toString('base64url');
      return { visitorId, cookie: serializeCookie(COOKIE, visitorId, { maxAge: LIFETIME_MS / 1000 }) };
    },
    recall(visitorId) {
      const found = visitors.get(visitorId);
      return found && clock() - found.at < LIFETIME_MS ? found.remembered : {};
    },
    remember(visitorId, remembered) {
      // Set anew, so that the map's order is the order of use and the first entry is the oldest.
      visitors.delete(visitorId);
      visitors.set(visitorId, { remembered, at: clock() });
      const [oldest] = visitors.keys();
      if (visitors.size > MAX_VISITORS && oldest !== undefined) visitors.delete(oldest);
    },
    clear: () => visitors.clear(),
  };
}

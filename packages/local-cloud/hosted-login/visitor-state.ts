import { randomBytes } from 'node:crypto';
import { type Clock, type CloudRequest, readCookie, serializeCookie } from '../http/exchange.ts';
import type { CodePurpose } from '../user-pool/users.ts';
import type { MessageKey } from './messages.ts';

const COOKIE = 'XSRF-TOKEN';
const LIFETIME_MS = 24 * 60 * 60 * 1000;
const MAX_VISITORS = 10_000;

/** What the hosted login stores for a browser between two requests. */
export type VisitorState = {
  /** The address to which a code was sent, and what the code is for. */
  pendingCode?: { email: string; purpose: CodePurpose };
  /** A message that the sign-in page shows once. */
  notice?: MessageKey;
};

export type VisitorStates = {
  /**
   * Returns the visitor id in the browser's cookie. For a new browser it returns a new id with its `Set-Cookie`
   * line. Forms contain the id as CSRF token, because another site cannot read it.
   */
  identify(request: CloudRequest): { visitorId: string; cookie: string | null };
  load(visitorId: string): VisitorState;
  save(visitorId: string, state: VisitorState): void;
  clear(): void;
};

/** Creates the in-memory store of visitor states. It stores 10,000 states for up to 24 hours. */
export function createVisitorStates({ clock }: { clock: Clock }): VisitorStates {
  const entries = new Map<string, { state: VisitorState; savedAt: number }>();
  return {
    identify(request) {
      const known = readCookie(request, COOKIE);
      if (known !== undefined && /^[\w-]{43}$/.test(known)) return { visitorId: known, cookie: null };
      const visitorId = randomBytes(32).toString('base64url');
      return { visitorId, cookie: serializeCookie(COOKIE, visitorId, { maxAge: LIFETIME_MS / 1000 }) };
    },
    load(visitorId) {
      const entry = entries.get(visitorId);
      return entry && clock() - entry.savedAt < LIFETIME_MS ? entry.state : {};
    },
    save(visitorId, state) {
      // Deleting the entry first moves it to the end of the map, so that the first entry is the oldest.
      entries.delete(visitorId);
      entries.set(visitorId, { state, savedAt: clock() });
      const [oldest] = entries.keys();
      if (entries.size > MAX_VISITORS && oldest !== undefined) entries.delete(oldest);
    },
    clear: () => entries.clear(),
  };
}

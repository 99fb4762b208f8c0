import { randomBytes } from 'node:crypto';
import { type Clock, type CloudRequest, readCookie, serializeCookie } from '../http/exchange.ts';
import { hashSecret } from '../storage/secrets.ts';
import type { State, Store } from '../storage/store.ts';

const COOKIE = 'cognito';
const LIFETIME_MS = 60 * 60 * 1000;

/** A visitor who is signed in at the hosted login. `authTime` is in seconds since the epoch. */
export type BrowserSession = State['browserSessions'][string];

export type BrowserSessions = {
  /** Returns the session of the request's cookie, or null. */
  find(request: CloudRequest): BrowserSession | null;
  /** Starts a session and returns it with its `Set-Cookie` line. */
  start(user: { sub: string; email: string }): { session: BrowserSession; cookie: string };
  /** Ends the request's session and returns the `Set-Cookie` line that deletes the cookie. */
  end(request: CloudRequest): string;
};

/**
 * Opens the sessions of the hosted login, which the `cognito` cookie identifies. They last one hour; use does not extend
 * them. A disabled user has none.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function openBrowserSessions(
  store: Store,
  { clock, isEnabled }: { clock: Clock; isEnabled: (sub: string) => boolean },
): BrowserSessions {
  return {
    find(request) {
      const session = store.state.browserSessions[hashSecret(readCookie(request, COOKIE) ?? '')];
      return session && session.expiresAt > clock() && isEnabled(session.sub) ? session : null;
    },
    start({ sub, email }) {
      const sessions = store.state.browserSessions;
      for (const [key, { expiresAt }] of Object.entries(sessions)) {
        if (expiresAt <= clock()) delete sessions[key];
      }
      const id = randomBytes(32).toString('base64url');
      const session = { sub, email, authTime: Math.floor(clock() / 1000), expiresAt: clock() + LIFETIME_MS };
      sessions[hashSecret(id)] = session;
      store.save();
      return { session, cookie: serializeCookie(COOKIE, id, { maxAge: LIFETIME_MS / 1000 }) };
    },
    end(request) {
      delete store.state.browserSessions[hashSecret(readCookie(request, COOKIE) ?? '')];
      store.save();
      return serializeCookie(COOKIE, '', { maxAge: 0 });
    },
  };
}

/**
 * The guest identity of a visitor who is not signed in. It is created when it is first needed and stored in a sealed
 * cookie. Signing in links it to the user and deletes the cookie.
 */
import type { Env } from '../config/env.ts';
import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
} from '../cookies/cookie-jar.ts';
import { type CookieSealer, cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import type { Clock } from '../resilience/clock.ts';
import type { SignedIn } from '../session/session.ts';
import { createGuestCreation, MARK_MAX_AGE_SECONDS } from './guest-creation.ts';
import type { Identity } from './identity.ts';

export type Guests = {
  /**
   * Marks a browser without a guest identity, so that its simultaneous requests share one. Returns whether the browser
   * must send the request again with the mark.
   */
  markBrowser(request: CookieSource, cookies: ResponseCookies): boolean;
  /** Returns the id of the visitor's guest identity and creates one if needed. Rejects like `Identity.createGuest`. */
  identityOf(request: CookieSource, cookies: ResponseCookies, signal: CallSignal): Promise<string>;
  /**
   * Links the guest identity from before the sign-in to the session, without a call to the identity pool: that happens
   * with the session's first credentials. A later response then deletes the cookie. Never rejects for a bad cookie.
   */
  adopt(session: SignedIn, request: CookieSource, cookies: ResponseCookies): Promise<void>;
};

const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;
/** Browsers send up to six requests at once. Each mark is a cookie that the response deletes. */
export const MAX_MARKS = 8;

type GuestsDeps = { env: Pick<Env, 'session'>; identity: Identity; clock: Clock };

/** Creates the access to guest identities. */
export function createGuests({ env, identity, clock }: GuestsDeps): Guests {
  const { secrets, secure, sameSite } = env.session;
  const name = cookieName('guest', secure);
  const sealer = createCookieSealer(secrets, name);
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite };
  const markPrefix = `${name}.`;
  const creation = createGuestCreation({ create: identity.createGuest, clock });
  const marksIn = (request: CookieSource) => readMarks(request, markPrefix, creation.isMark);

  const read = (request: CookieSource) => readIdentityId(readCookies(request).get(name), sealer, clock());

  return {
    markBrowser(request, cookies) {
      if (readCookies(request).get(name) !== null || marksIn(request).length > 0) return false;
      cookies.set(markPrefix + creation.createMark(), '1', { ...attributes, maxAge: MARK_MAX_AGE_SECONDS });
      return true;
    },

    async identityOf(request, cookies, signal) {
      const marks = marksIn(request);
      const known = await read(request);
      const identityId = known ?? (await creation.createOnce(marks, signal));
      for (const mark of marks) cookies.delete(markPrefix + mark, attributes);
      if (known !== null) return known;
      const sealed = await sealer.seal(Buffer.from(identityId), clock() + MAX_AGE_SECONDS * 1000);
      cookies.set(name, sealed, { ...attributes, maxAge: MAX_AGE_SECONDS });
      return identityId;
    },

    async adopt(session, request, cookies) {
      if (readCookies(request).get(name) === null) return;
      const guestIdentityId = await read(request);
      if (guestIdentityId === null || identity.linkGuest(session.id, guestIdentityId)) {
        cookies.delete(name, attributes);
      }
    },
  };
}

/** The identity id in a cookie value; null without a value, and for one that is unreadable or expired. */
async function readIdentityId(
  value: string | null,
  sealer: CookieSealer,
  now: number,
): Promise<string | null> {
  if (value === null) return null;
  const unsealed = await sealer.open(value, now);
  return unsealed.state === 'open' ? Buffer.from(unsealed.body).toString() : null;
}

/** The marks of a request: the ends of its cookie names with this prefix. */
function readMarks(request: CookieSource, prefix: string, isMark: (text: string) => boolean): string[] {
  return readCookies(request)
    .names.filter((cookie) => cookie.startsWith(prefix))
    .map((cookie) => cookie.slice(prefix.length))
    .filter(isMark)
    .slice(0, MAX_MARKS);
}

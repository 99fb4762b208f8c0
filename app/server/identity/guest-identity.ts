/**
 * The identity of a visitor who is not signed in: one, made when it is first asked for, and kept by the browser in a
 * sealed cookie. Signing in links it to the user, and the cookie goes.
 */

import type { Env } from '../config/env.ts';
import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
} from '../cookies/cookie-jar.ts';
import { cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';
import type { SignedIn } from '../session/session.ts';
import type { Identity } from './identity.ts';

export type Guests = {
  /** The visitor's guest identity, a new one for who has none yet. Rejects as `Identity.createGuest` does. */
  identityOf(request: CookieSource, cookies: ResponseCookies, signal: AbortSignal): Promise<string>;
  /**
   * Hands the guest identity that a visitor had before signing in to the session. Asks nobody: it is linked with the
   * session's first credentials, and its cookie deleted by the response after that. Never throws for a bad cookie.
   */
  adopt(session: SignedIn, request: CookieSource, cookies: ResponseCookies): Promise<void>;
};

const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

type GuestsDeps = { env: Pick<Env, 'session'>; identity: Identity; clock: Clock };

/** The guests of one process. */
export function createGuests({ env, identity, clock }: GuestsDeps): Guests {
  const { secrets, secure, sameSite } = env.session;
  const name = cookieName('guest', secure);
  const sealer = createCookieSealer(secrets, name);
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite };

  const read = async (request: CookieSource): Promise<string | null> => {
    const value = readCookies(request).get(name);
    if (value === null) return null;
    const unsealed = await sealer.open(value, clock());
    return unsealed.state === 'open' ? Buffer.from(unsealed.body).toString() : null;
  };

  return {
    async identityOf(request, cookies, signal) {
      const known = await read(request);
      if (known !== null) return known;
      const identityId = await identity.createGuest(signal);
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

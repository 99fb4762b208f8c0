/**
 * The guest identity of a visitor who is not signed in. It is created when it is first needed and stored in a sealed
 * cookie. Signing in links it to the user and deletes the cookie.
 */

import type { IdentityPool } from '@tenfold/appsync-proxy';
import {
  type CookieAttributes,
  type CookieSealer,
  type CookieSource,
  cookieName,
  createCookieSealer,
  type ResponseCookies,
  readCookies,
  type SignedIn,
} from '@tenfold/cognito-session';
import type { Clock } from '@tenfold/upstream';
import type { Env } from '../config/env.ts';

export type Guests = {
  /**
   * Returns the id of the visitor's guest identity and creates one if needed. Simultaneous first requests of a browser
   * create one each, and the browser keeps the last. Rejects like `IdentityPool.createGuest`.
   */
  identityOf(request: CookieSource, cookies: ResponseCookies, signal: AbortSignal): Promise<string>;
  /**
   * Links the guest identity from before the sign-in to the session, without a call to the identity pool: that happens
   * with the session's first credentials. A later response then deletes the cookie. Never rejects for a bad cookie.
   */
  adopt(session: SignedIn, request: CookieSource, cookies: ResponseCookies): Promise<void>;
};

const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

type GuestsDeps = { env: Pick<Env, 'session'>; identity: IdentityPool; clock: Clock };

/** Creates the access to guest identities. */
export function createGuests({ env, identity, clock }: GuestsDeps): Guests {
  const { secure, sameSite } = env.session;
  const name = cookieName('guest', secure);
  const sealer = createCookieSealer(env.session, name);
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite };
  const read = (request: CookieSource) => readIdentityId(readCookies(request).get(name), sealer, clock());

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

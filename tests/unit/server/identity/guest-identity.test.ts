import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import { createGuestCreation } from '../../../../app/server/identity/guest-creation.ts';
import { createGuests, MAX_MARKS } from '../../../../app/server/identity/guest-identity.ts';
import type { Identity } from '../../../../app/server/identity/identity.ts';

const neverAborted = () => new AbortController().signal;
const session = {
  secrets: ['q8Rt5vXw2LbT9mZc4NpKs7HdYg1JfUe3'],
  secure: true,
  sameSite: 'lax',
  maxAge: 1,
  maxIdle: 1,
  recheckAfter: null,
} as const;

/** Guests of a process whose identities have consecutive numbers. */
function openGuests() {
  let created = 0;
  const unused = () => {
    throw new Error('not used by guests');
  };
  const identity: Identity = {
    credentialsFor: unused,
    dropCredentials: unused,
    forget: unused,
    linkGuest: () => false,
    createGuest: async () => `us-east-1:${created++}`,
  };
  return createGuests({ env: { session }, identity, clock: Date.now });
}

function requestWith(names: readonly string[]) {
  return { headers: new Headers({ cookie: names.map((name) => `${name}=1`).join('; ') }) };
}

/** As many names of cookies with marks as asked for. */
function markCookies(count: number): string[] {
  const { createMark } = createGuestCreation({ create: async () => '', clock: Date.now });
  return Array.from({ length: count }, () => `__Host-guest.${createMark()}`);
}

describe('the marks of a browser', () => {
  it('are used and deleted up to a limit', async () => {
    const guests = openGuests();
    const names = markCookies(MAX_MARKS + 5);
    const cookies = createResponseCookies();
    await guests.identityOf(requestWith(names), cookies, neverAborted());
    const deleted = cookies.lines().filter((line) => line.includes('Max-Age=0'));
    expect(deleted.map((line) => line.split('=')[0])).toEqual(names.slice(0, MAX_MARKS));
  });

  it('beyond the limit share no identity', async () => {
    const guests = openGuests();
    const identityOf = (names: readonly string[]) =>
      guests.identityOf(requestWith(names), createResponseCookies(), neverAborted());
    const names = markCookies(MAX_MARKS + 1);
    const first = await identityOf(names);
    expect(await identityOf(names.slice(MAX_MARKS - 1, MAX_MARKS)), 'the last one below it').toBe(first);
    expect(await identityOf(names.slice(MAX_MARKS)), 'the first one beyond it').not.toBe(first);
  });
});

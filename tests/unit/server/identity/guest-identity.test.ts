import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import { createGuestCreation } from '../../../../app/server/identity/guest-creation.ts';
import { createGuests, MAX_MARKS } from '../../../../app/server/identity/guest-identity.ts';
import type { Identity } from '../../../../app/server/identity/identity.ts';
import { sessionEnv } from '../../../support/sign-in/session-harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Guests of a process whose identities have consecutive numbers. */
function openGuests(clock = Date.now) {
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
  return createGuests({ env: { session: sessionEnv }, identity, clock });
}

function requestWith(names: readonly string[]) {
  return { headers: new Headers({ cookie: names.map((name) => `${name}=1`).join('; ') }) };
}

const identityOf = (
  guests: ReturnType<typeof openGuests>,
  names: readonly string[],
  cookies = createResponseCookies(),
) => guests.identityOf(requestWith(names), cookies, new AbortController().signal);

/** As many names of cookies with marks as asked for. */
function markCookies(count: number): string[] {
  const { createMark } = createGuestCreation({ create: async () => '', clock: Date.now });
  return Array.from({ length: count }, () => `__Host-guest.${createMark()}`);
}

describe('the marks of a browser', () => {
  it('are used and deleted up to a limit, and those beyond it share no identity', async () => {
    const guests = openGuests();
    const names = markCookies(MAX_MARKS + 1);
    const [used, beyond] = [names.slice(0, MAX_MARKS), names.slice(MAX_MARKS)];
    const cookies = createResponseCookies();
    const first = await identityOf(guests, names, cookies);
    const deleted = cookies.lines().filter((line) => line.includes('Max-Age=0'));
    expect(deleted.map((line) => line.split('=')[0])).toEqual(used);
    expect(await identityOf(guests, used.slice(-1))).toBe(first);
    expect(await identityOf(guests, beyond)).not.toBe(first);
  });
});

describe('a browser without a guest identity', () => {
  it('is marked for a minute with a cookie that scripts cannot read', () => {
    const cookies = createResponseCookies();
    expect(openGuests().markBrowser(requestWith([]), cookies)).toBe(true);
    expect(cookies.lines()).toEqual([
      expect.stringMatching(
        /^__Host-guest\.[\w-]{22}=1; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  it.each([
    ['it has a mark', () => markCookies(1), false],
    ['it has a guest identity', () => ['__Host-guest'], false],
    ['it has other cookies', () => ['theme', `${markCookies(1)[0]}`.replace('guest', 'other')], true],
    [
      'it has marks of another form',
      () => ['__Host-guest.1', `${markCookies(1)[0]}x`, '__Host-guest.'],
      true,
    ],
  ])('because %s, is marked: %s', (_what, names, isMarked) => {
    const cookies = createResponseCookies();
    expect(openGuests().markBrowser(requestWith(names()), cookies)).toBe(isMarked);
    expect(cookies.lines()).toHaveLength(isMarked ? 1 : 0);
  });

  it('gets an identity of its own without a mark', async () => {
    const guests = openGuests();
    expect(await identityOf(guests, [])).not.toBe(await identityOf(guests, []));
  });

  it('gets the identity of any of its marks', async () => {
    const guests = openGuests();
    const [one = '', other = ''] = markCookies(2);
    const first = await identityOf(guests, [other]);
    expect(await identityOf(guests, [one, other])).toBe(first);
  });

  it('keeps its identity for a year', async () => {
    const time = { now: Date.now() };
    const guests = openGuests(() => time.now);
    const cookies = createResponseCookies();
    const first = await identityOf(guests, [], cookies);
    const [cookie = ''] = cookies.lines()[0]?.split(';') ?? [];
    const request = () => ({ headers: new Headers({ cookie }) });
    const later = () => guests.identityOf(request(), createResponseCookies(), new AbortController().signal);
    time.now += 364 * DAY_MS;
    expect(await later()).toBe(first);
    time.now += 2 * DAY_MS;
    expect(await later()).not.toBe(first);
  });
});

it('the sign-in of a visitor without a guest identity changes no cookie', async () => {
  const signedIn = {
    state: 'signed-in',
    id: 'id',
    tokens: { accessToken: 'a', idToken: 'i', refreshToken: null, deviceKey: null, clockDrift: 0 },
    user: { sub: 'sub', email: null, name: null },
  } as const;
  const cookies = createResponseCookies();
  await openGuests().adopt(signedIn, requestWith(['theme']), cookies);
  expect(cookies.lines()).toEqual([]);
});

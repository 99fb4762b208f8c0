import { describe, expect, it } from 'vitest';
import { createGuests } from '../../../../app/server/identity/guest-identity.ts';
import type { IdentityPool } from '../../../../packages/appsync-proxy/src/identity/identity-pool.ts';
import { createResponseCookies } from '../../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { sessionEnv } from '../../../support/sign-in/session-harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Guests of a process whose identities have consecutive numbers. */
function openGuests(clock = Date.now) {
  let created = 0;
  const unused = () => {
    throw new Error('not used by guests');
  };
  const identity: IdentityPool = {
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

describe('a browser without a guest identity', () => {
  it('keeps its identity for a year', async () => {
    const time = { now: Date.now() };
    const guests = openGuests(() => time.now);
    const cookies = createResponseCookies();
    const first = await guests.identityOf(requestWith([]), cookies, new AbortController().signal);
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
    user: { sub: 'sub', email: null, name: null, groups: [] },
  } as const;
  const cookies = createResponseCookies();
  await openGuests().adopt(signedIn, requestWith(['theme']), cookies);
  expect(cookies.lines()).toEqual([]);
});

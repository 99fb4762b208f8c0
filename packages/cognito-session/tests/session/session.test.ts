import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { openDueVisitor, refreshResponse } from '../../../../tests/support/sign-in/due-visitor.ts';
import { createSessionHarness, sessionEnv } from '../../../../tests/support/sign-in/session-harness.ts';
import { settlesWithin } from '../../../../tests/support/timing/settles-within.ts';
import type { ScriptedResponse } from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import type { Revocation } from '../../src/session/closed-sessions.ts';
import { markOfUser } from '../../src/session/ended-sessions.ts';
import { sessionHash } from '../../src/session/session-hash.ts';
import type { EndMark } from '../../src/shared-store/end-marks.ts';
import { createInMemoryStore } from '../../src/shared-store/in-memory-store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const pool = await shareUserPool();

describe('a session', () => {
  it('is anonymous without a cookie, and sets none', async () => {
    const { session, setCookies } = await createSessionHarness(pool).visit(createCookieStore());
    expect(session).toEqual({ state: 'anonymous' });
    expect(setCookies).toEqual([]);
  });

  it('stays as it was at the sign-in, with the device and the clock drift, and sets no cookie while nothing changes', async () => {
    const harness = createSessionHarness(pool);
    const iat = Math.floor(harness.time.now / 1000) + 60;
    const { browser, session } = await harness.signIn({ claims: { iat, device_key: 'us-east-1_device' } });
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    expect(session.user.email).toBe('ada@example.com');
    expect(session.id).toMatch(/^[\w-]{22}$/);
    const clockDrift = iat * 1000 - harness.time.now;
    expect(session.tokens).toMatchObject({ deviceKey: 'us-east-1_device', clockDrift });
  });

  it('contains no readable token in its cookies', async () => {
    const { browser, session } = await createSessionHarness(pool).signIn();
    const held = [...browser.cookies.values()].join('');
    for (const token of [session.tokens.accessToken, session.tokens.idToken, session.tokens.refreshToken]) {
      expect(held).not.toContain(token?.slice(0, 40));
    }
  });

  // threat-model: T-001
  it('stores tokens of 20 kB in lines of at most 4096 bytes', async () => {
    const harness = createSessionHarness(pool);
    const { browser } = await harness.signIn();
    const big = { groups: Array.from({ length: 300 }, () => randomBytes(12).toString('hex')) };
    pool.script({ api: async () => refreshResponse(await harness.issue(big)) });
    harness.time.now += 60 * MINUTE;
    const { session, setCookies } = await harness.visit(browser);
    expect(JSON.stringify(session).length).toBeGreaterThan(20_000);
    for (const line of setCookies) expect(line.length).toBeLessThanOrEqual(4096);
    // Another process knows only the cookies.
    const elsewhere = createSessionHarness(pool);
    elsewhere.time.now = harness.time.now;
    expect((await elsewhere.visit(browser)).session).toEqual(session);
  });

  it('survives a rotation of secrets and is sealed with the new one when it is saved next', async () => {
    const before = createSessionHarness(pool);
    const { browser } = await before.signIn();
    const secret = 'second-Zx71LmQe5VtYb0KpRw9UoNc3HsDfGaj';
    const during = createSessionHarness(pool, { secrets: [secret, ...sessionEnv.secrets], maxIdle: 600 });
    during.time.now += MINUTE;
    expect((await during.visit(browser)).session.state).toBe('signed-in');
    const after = createSessionHarness(pool, { secrets: [secret] });
    expect((await after.visit(browser)).session.state).toBe('signed-in');
  });
});

describe('a cookie that contains no session', () => {
  // threat-model: T-003
  it.each([
    ['a chunk missing', ([first = '']: string[]) => [first]],
    ['chunks in another order', ([first = '', second = '']: string[]) => [second, first]],
    ['a bit flipped', ([first = '', ...rest]: string[]) => [`${first.slice(0, -1)}~`, ...rest]],
  ])('is deleted once and leaves the visitor anonymous: %s', async (_, change) => {
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn({
      claims: { groups: randomBytes(3000).toString('hex') },
    });
    // The cache of opened cookies must not complete a damaged cookie.
    expect((await harness.visit(browser)).session).toEqual(session);
    const chunks = change([...browser.cookies.values()]);
    browser.cookies.clear();
    for (const [index, chunk] of chunks.entries()) {
      browser.cookies.set(`__Host-session${index ? `.${index}` : ''}`, chunk);
    }
    expect((await harness.visit(browser)).session).toEqual({ state: 'anonymous' });
    expect(browser.cookies.size).toBe(0);
    expect((await harness.visit(browser)).setCookies).toEqual([]);
  });

  // threat-model: T-122
  it.each(['s3ss10n', 's%3Aab.cd', '1.', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..a.b.c'])(
    'is not deleted when it is that of another application on the same host: %s',
    async (value) => {
      const harness = createSessionHarness(pool, { secure: false });
      const browser = createCookieStore(new Map([['session', value]]));
      expect(await harness.visit(browser)).toEqual({ session: { state: 'anonymous' }, setCookies: [] });
    },
  );

  // threat-model: T-004
  it('leaves the visitor anonymous when it mixes the chunks of two users', async () => {
    const harness = createSessionHarness(pool);
    const groups = () => ({ groups: randomBytes(3000).toString('hex') });
    const ada = await harness.signIn({ claims: { sub: 'ada', ...groups() } });
    const bob = await harness.signIn({ claims: { sub: 'bob', ...groups() } });
    for (const { browser, session } of [ada, bob]) {
      expect((await harness.visit(browser)).session).toEqual(session);
    }
    ada.browser.cookies.set('__Host-session.1', bob.browser.cookies.get('__Host-session.1') ?? '');
    expect((await harness.visit(ada.browser)).session).toEqual({ state: 'anonymous' });
  });
});

describe('a session ends', () => {
  // threat-model: T-007
  it('after its idle time, and is reported as ended for an hour', async () => {
    const harness = createSessionHarness(pool);
    const { browser } = await harness.signIn();
    harness.time.now += 30 * DAY;
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
    expect(browser.cookies.size).toBe(1);
    harness.time.now += 60 * MINUTE - 1;
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
    harness.time.now += 1;
    expect((await harness.visit(browser)).session).toEqual({ state: 'anonymous' });
    expect(browser.cookies.size).toBe(0);
  });

  // threat-model: T-007
  it('at its maximum age if the visitor returns within the idle time', async () => {
    const harness = createSessionHarness(pool, { maxAge: (100 * DAY) / 1000 });
    const { browser } = await harness.signIn({ claims: { exp: 4e9 } });
    for (let day = 20; day < 100; day += 20) {
      harness.time.now += 20 * DAY;
      expect((await harness.visit(browser)).session.state, `day ${day}`).toBe('signed-in');
    }
    harness.time.now += 20 * DAY;
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
  });

  it('when its tokens expire if it has no refresh token, without a request to the user pool', async () => {
    const harness = createSessionHarness(pool);
    const { browser } = await harness.signIn({ refreshable: false });
    harness.time.now += 60 * MINUTE - 3000;
    expect((await harness.visit(browser)).session.state).toBe('signed-in');
    harness.time.now += 3000;
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
    expect(pool.received.api).toEqual([]);
  });

  // threat-model: T-015
  it('at sign-out: its cookie is deleted, its refresh token is revoked, and a copy of the cookie no longer works', async () => {
    pool.script({ revoke: () => ({}) });
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    const copy = browser.copy();
    await harness.signOut(browser, session);
    expect(browser.cookies.size).toBe(0);
    expect(pool.received.revoke[0]?.body).toContain(session.tokens.refreshToken);
    expect((await harness.visit(copy)).session).toEqual({ state: 'anonymous' });
    harness.time.now += 60 * MINUTE;
    expect((await harness.visit(copy)).session).toEqual({ state: 'anonymous' });
    expect(pool.received.api).toEqual([]);
  });

  it('when its visitor signs in again: its refresh token is revoked, and a copy of the cookie no longer works', async () => {
    pool.script({ revoke: () => ({}) });
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    const copy = browser.copy();
    const again = await harness.signIn({ previous: session }, browser);
    expect(again.session.id).not.toBe(session.id);
    expect(pool.received.revoke.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      session.tokens.refreshToken,
    ]);
    expect((await harness.visit(copy)).session).toEqual({ state: 'anonymous' });
    expect((await harness.visit(browser)).session).toEqual(again.session);
  });

  it('at sign-out without a revocation if it has no refresh token, and the log names it by its hash', async () => {
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn({ refreshable: false });
    expect(await harness.signOut(browser, session)).toBe('revoked');
    expect(pool.received.revoke).toEqual([]);
    expect(harness.logged).toMatchObject([
      { level: 'info', msg: 'session started', session: sessionHash(session.id) },
      { level: 'info', msg: 'session ended by sign-out', session: sessionHash(session.id) },
    ]);
    expect(JSON.stringify(harness.logged)).not.toContain(session.id);
  });

  it.each<[string, ScriptedResponse, Revocation]>([
    ['works', {}, 'revoked'],
    ['rejects the token', { status: 400 }, 'refused'],
    ['throttles', { status: 429 }, 'refused'],
    ['fails', { status: 503 }, 'unavailable'],
    ['does not respond', 'hang', 'unavailable'],
  ])('at sign-out, which reports what the hosted login did: it %s', async (_, revoke, outcome) => {
    pool.script({ revoke: () => revoke });
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    expect(await settlesWithin(3000, harness.signOut(browser, session))).toBe(outcome);
    expect((await harness.visit(browser)).session).toEqual({ state: 'anonymous' });
    harness.sessions.stop();
  });

  // threat-model: T-117
  it.each<[string, ScriptedResponse]>([
    ['throttles', { status: 429 }],
    ['fails', { status: 503 }],
  ])(
    'at sign-out for as long as it could have lived, when the hosted login %s and does not revoke its token',
    async (_, revoke) => {
      pool.script({ revoke: () => revoke });
      const harness = createSessionHarness(pool, { maxIdle: sessionEnv.maxAge });
      const { browser, session } = await harness.signIn();
      const copy = browser.copy();
      pool.script({ api: async () => refreshResponse(await harness.issue({ sub: session.user.sub })) });
      await harness.signOut(browser, session);
      harness.sessions.stop();
      for (const days of [2, 362]) {
        harness.time.now += days * DAY;
        expect((await harness.visit(copy)).session, `after ${days} days`).toEqual({ state: 'anonymous' });
      }
      expect(pool.received.api).toEqual([]);
    },
  );

  // threat-model: T-117
  it('at sign-out, and its refresh token is revoked as soon as the hosted login works again', async () => {
    pool.script({ revoke: (_, count) => ({ status: count === 1 ? 429 : 200 }) });
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    await harness.signOut(browser, session);
    await expect
      .poll(() => harness.logged.at(-1))
      .toMatchObject({
        level: 'info',
        msg: 'refresh token revoked in a later attempt',
        session: sessionHash(session.id),
      });
    const tokens = pool.received.revoke.map(({ body }) => new URLSearchParams(body).get('token'));
    expect(tokens).toEqual([session.tokens.refreshToken, session.tokens.refreshToken]);
    harness.logged.length = 0;
    harness.sessions.stop();
    expect(harness.logged, 'nothing is left').toEqual([]);
  });

  it('at sign-out, and a process that stops sends no more revocations and says how many are missing', async () => {
    pool.script({ revoke: () => ({ status: 503 }) });
    const harness = createSessionHarness(pool);
    for (const claims of [{ sub: 'ada' }, { sub: 'ben' }]) {
      const { browser, session } = await harness.signIn({ claims });
      await harness.signOut(browser, session);
    }
    harness.sessions.stop();
    expect(harness.logged.at(-1)).toMatchObject({ level: 'warn', count: 2 });
    await wait(1500);
    expect(pool.received.revoke).toHaveLength(2);
  });

  it('at sign-out, which revokes and logs nothing for an anonymous visitor', async () => {
    const harness = createSessionHarness(pool);
    const browser = createCookieStore(new Map([['__Host-session', 'x']]));
    expect(await harness.signOut(browser, { state: 'anonymous' })).toBe('revoked');
    expect(browser.cookies.size).toBe(0);
    expect([harness.logged, pool.received.revoke]).toEqual([[], []]);
  });

  it('at sign-out on another machine, also if the store is lost just after it has said so', async () => {
    const answers = [true];
    const { harness, browser } = await openDueVisitor(pool, (clock) => ({
      ...createInMemoryStore(clock),
      isClosed: async () => answers.shift() ?? false,
    }));
    expect(await harness.visit(browser)).toEqual({ session: { state: 'anonymous' }, setCookies: [] });
    expect(answers).toEqual([]);
    expect(pool.received.api).toEqual([]);
  });

  it('when an operator ends the sessions of its user', async () => {
    // From an hour ahead, so that the sessions of this test start before it.
    const mark: EndMark = { name: markOfUser('ada'), at: Date.now() + 60 * MINUTE };
    const harness = createSessionHarness(pool, {}, (clock) => ({
      ...createInMemoryStore(clock),
      endMarks: { since: async () => [mark] },
    }));
    const ada = await harness.signIn({ claims: { sub: 'ada' } });
    const ben = await harness.signIn({ claims: { sub: 'ben' } });
    harness.logged.length = 0;
    expect((await harness.visit(ada.browser)).session).toEqual({ state: 'ended' });
    expect((await harness.visit(ada.browser)).session).toEqual({ state: 'ended' });
    expect(harness.logged).toMatchObject([
      { level: 'info', msg: 'session ended by the operator', session: sessionHash(ada.session.id) },
    ]);
    expect((await harness.visit(ben.browser)).session).toEqual(ben.session);
  });
});

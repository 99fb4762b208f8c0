/** The list of a user's sessions, and their end from another browser, on machines that share a store and on one alone. */
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { createRedisStores } from '../../../../tests/support/processes/redis-stores.ts';
import { type CookieStore, createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { createSessionHarness } from '../../../../tests/support/sign-in/session-harness.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import type { Session, SignedIn } from '../../src/session/session.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const BEN = 'b1b2c3d4-0000-4000-8000-00000000ada0';

const pool = await shareUserPool();

/** A browser that sends this `User-Agent`. */
function browserWith(userAgent: string): CookieStore {
  const store = createCookieStore();
  const withHeader = (request: Request) => {
    request.headers.set('user-agent', userAgent);
    return request;
  };
  return { ...store, request: (path) => withHeader(store.request(path)) };
}

const signedIn = (session: Session): SignedIn =>
  session.state === 'signed-in' ? session : expect.fail(`the session is ${session.state}`);

describe('without a shared store', () => {
  it('only the current session is listed, and the list says so', async () => {
    const harness = createSessionHarness(pool);
    await harness.signIn();
    const { session } = await harness.signIn({}, browserWith(FIREFOX));
    expect(await harness.sessions.list(session)).toEqual({
      sessions: [
        {
          handle: expect.stringMatching(/^[\w-]{22}$/),
          startedAt: harness.time.now,
          lastActiveAt: harness.time.now,
          ...{ browser: 'Firefox', system: 'Linux', isCurrent: true },
        },
      ],
      seesAllSessions: false,
    });
    expect(await harness.sessions.endOthers(session)).toBeNull();
  });

  it('a watch notices the sign-out within a second, once, and no watch that was stopped does', async () => {
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    const [onEnd, onStopped] = [vi.fn(), vi.fn()];
    harness.sessions.watchEnd(session, onEnd);
    harness.sessions.watchEnd(session, onStopped)();
    await harness.signOut(browser, session);
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce(), { timeout: 1000 });
    expect(onStopped).not.toHaveBeenCalled();
  });

  it('a watch notices that the session was idle for too long', async () => {
    const harness = createSessionHarness(pool);
    const { session } = await harness.signIn();
    const onEnd = vi.fn();
    harness.sessions.watchEnd(session, onEnd);
    harness.time.now += 31 * DAY;
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce(), { timeout: 1000 });
  });
});

describe.skipIf(redisProgram === null /* no store to share */)('with a shared store', () => {
  let redis: RedisServer;
  const stores = createRedisStores();

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    stores.closeAll();
    const client = await createClient({ url: redis.url }).connect();
    await client.flushAll();
    client.destroy();
  });
  afterAll(() => redis?.kill());

  async function openMachine() {
    const store = await stores.open(redis.url);
    return createSessionHarness(pool, {}, () => store);
  }

  const patiently = { timeout: 60_000 };

  /** The list as soon as it has this number of sessions: it is written while requests continue. */
  async function listOf(machine: Awaited<ReturnType<typeof openMachine>>, session: SignedIn, count: number) {
    return vi.waitFor(async () => {
      const list = await machine.sessions.list(session);
      expect(list.sessions).toHaveLength(count);
      return list;
    }, patiently);
  }

  it('the sessions of the user on all machines are listed, and none of others', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const current = await one.signIn();
    await two.signIn({}, browserWith(FIREFOX));
    await two.signIn({ claims: { sub: BEN } });
    const { sessions, seesAllSessions } = await listOf(one, current.session, 2);
    expect(seesAllSessions).toBe(true);
    expect(sessions.map(({ browser, system, isCurrent }) => [browser, system, isCurrent])).toEqual([
      [null, null, true],
      ['Firefox', 'Linux', false],
    ]);
    // A machine that has just started has seen no session.
    const restarted = await openMachine();
    const visit = await restarted.visit(current.browser);
    expect((await listOf(restarted, signedIn(visit.session), 2)).sessions).toEqual(
      sessions.map((info) => ({ ...info, lastActiveAt: expect.any(Number) })),
    );
  });

  // threat-model: T-126
  it('a handle is no part of a session, and the store has neither', async () => {
    const machine = await openMachine();
    const [current, other] = [await machine.signIn(), await machine.signIn()];
    const { sessions } = await listOf(machine, current.session, 2);
    const handle = sessions[1]?.handle ?? '';
    const id = other.session.id;
    expect([id, other.browser.header()].some((text) => text.includes(handle))).toBe(false);
    const stolen = createCookieStore(new Map([['__Host-session', `1.${handle}`]]));
    expect((await machine.visit(stolen)).session.state).toBe('anonymous');
    const client = await createClient({ url: redis.url }).connect();
    const [key = ''] = await client.keys('*:entries');
    const stored = JSON.stringify([key, await client.hGetAll(key)]);
    client.destroy();
    for (const secret of [id, current.session.user.sub]) expect(stored).not.toContain(secret);
  });

  // threat-model: T-127
  it('a session that its user ends has ended on every machine, is told so, and its token is revoked once', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const [current, other] = [await one.signIn(), await two.signIn()];
    const { sessions } = await listOf(one, current.session, 2);
    const onEnd = vi.fn();
    two.sessions.watchEnd(other.session, onEnd);
    pool.script({});
    const stolen = [other.browser.copy(), other.browser.copy()];
    expect(await one.sessions.endOther(current.session, sessions[1]?.handle ?? '')).toBe(true);
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledOnce(), { timeout: 1000 });
    for (const browser of [other.browser, ...stolen]) {
      expect((await two.visit(browser)).session.state).toBe('ended');
    }
    await expect.poll(() => pool.received.revoke).toHaveLength(1);
    const { body } = pool.received.revoke[0] ?? expect.fail('nothing was revoked');
    expect(new URLSearchParams(body).get('token')).toBe(other.session.tokens.refreshToken);
    await listOf(one, current.session, 1);
    expect((await one.visit(current.browser)).session.state).toBe('signed-in');
  });

  // threat-model: T-127
  it('the handle of another user’s session, or of the current one, ends nothing', async () => {
    const machine = await openMachine();
    const [current, ben] = [await machine.signIn(), await machine.signIn({ claims: { sub: BEN } })];
    const [own, foreign] = await Promise.all([
      listOf(machine, current.session, 1),
      listOf(machine, ben.session, 1),
    ]);
    for (const { sessions } of [own, foreign]) {
      expect(await machine.sessions.endOther(current.session, sessions[0]?.handle ?? '')).toBe(false);
    }
    expect((await machine.visit(ben.browser)).session.state).toBe('signed-in');
  });

  it('all others end at once', async () => {
    const machine = await openMachine();
    const others = [await machine.signIn(), await machine.signIn()];
    const current = await machine.signIn();
    await listOf(machine, current.session, 3);
    expect(await machine.sessions.endOthers(current.session)).toBe(2);
    for (const { browser } of others) expect((await machine.visit(browser)).session.state).toBe('ended');
    expect((await machine.sessions.list(current.session)).sessions).toHaveLength(1);
  });

  it('a session leaves the list when it signs out or expires, and shows its use within ten minutes', async () => {
    const machine = await openMachine();
    const [gone, idle, current] = [await machine.signIn(), await machine.signIn(), await machine.signIn()];
    await listOf(machine, current.session, 3);
    await machine.signOut(gone.browser, gone.session);
    await listOf(machine, current.session, 2);
    machine.time.now += 10 * MINUTE;
    await machine.visit(idle.browser);
    await vi.waitFor(async () => {
      const { sessions } = await machine.sessions.list(current.session);
      expect(sessions[1]?.lastActiveAt).toBe(machine.time.now);
    }, patiently);
    machine.time.now += 31 * DAY;
    expect((await machine.sessions.list(current.session)).sessions).toHaveLength(1);
  });

  it('the list has only the current session while the store does not respond', async () => {
    const machine = await openMachine();
    await machine.signIn();
    const { session } = await machine.signIn();
    await listOf(machine, session, 2);
    redis.freeze();
    try {
      const { sessions, seesAllSessions } = await machine.sessions.list(session);
      expect([sessions.length, seesAllSessions]).toEqual([1, false]);
    } finally {
      redis.thaw();
    }
  });
});

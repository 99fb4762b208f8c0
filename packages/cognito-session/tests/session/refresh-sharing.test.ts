import { describe, expect, it } from 'vitest';
import { failWith, HOUR, openDueVisitor, rotate } from '../../../../tests/support/sign-in/due-visitor.ts';
import {
  createSessionHarness,
  type SessionHarness,
  sessionEnv,
} from '../../../../tests/support/sign-in/session-harness.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createCookieSealer } from '../../src/cookies/sealed-cookie.ts';
import { encodeSessionCookie, type SessionRecord } from '../../src/session/session-record.ts';
import { createInMemoryStore } from '../../src/shared-store/in-memory-store.ts';
import type { SharedStore } from '../../src/shared-store/shared-store.ts';

const pool = await shareUserPool();

type Shared = { version: number; text: string };

/** A store that several machines share, and what they do with it. */
function createSharedStore() {
  const values = new Map<string, Shared>();
  const flights: { key: string; version: number; ttlMs: number }[] = [];
  const shared: (Shared | null)[] = [];
  const openStore = (clock: () => number): SharedStore => ({
    ...createInMemoryStore(clock),
    singleFlight: async ({ key, version, ttlMs, run, share }) => {
      flights.push({ key, version, ttlMs });
      const found = values.get(key);
      if (found && found.version > version) return { state: 'found', text: found.text };
      const result = await run();
      const value = await share(result);
      shared.push(value);
      if (value) values.set(key, value);
      return { state: 'ran', result };
    },
  });
  return { openStore, flights, shared };
}

function openMachine(openStore: (clock: () => number) => SharedStore, now: number): SessionHarness {
  const machine = createSessionHarness(pool, {}, openStore);
  machine.time.now = now;
  return machine;
}

describe('a refresh on one of several machines', () => {
  it('is shared for an hour under the session, with its generation as the version, unless it fails', async () => {
    const { openStore, flights, shared } = createSharedStore();
    const { harness, owners, browser, session } = await openDueVisitor(pool, openStore);
    pool.script(failWith('SomethingNewException'));
    await harness.visit(browser);
    expect(shared).toEqual([null]);
    rotate(pool, harness, owners);
    harness.time.now += 1000;
    await harness.visit(browser);
    expect(flights[1]).toEqual({ key: `session ${session.id}`, version: 0, ttlMs: HOUR });
    expect(shared[1]).toEqual({ version: 1, text: expect.any(String) });
  });

  it('is adopted by the other machines, without a request of their own', async () => {
    const { openStore } = createSharedStore();
    const { harness: one, browser, session } = await openDueVisitor(pool, openStore);
    const two = openMachine(openStore, one.time.now);
    const refreshed = (await one.visit(browser.copy())).session;
    expect(refreshed).not.toEqual(session);
    expect((await two.visit(browser.copy())).session).toEqual(refreshed);
    expect((await two.visit(browser.copy())).session).toEqual(refreshed);
    expect(pool.received.api).toHaveLength(1);
    expect([one.refreshes, two.refreshes]).toEqual([['refreshed'], ['adopted']]);
  });

  it('is adopted for an hour', async () => {
    const { openStore } = createSharedStore();
    const { harness: one, owners, browser } = await openDueVisitor(pool, openStore);
    await one.visit(browser.copy());
    const before = openMachine(openStore, one.time.now + HOUR - 1);
    const after = openMachine(openStore, one.time.now + HOUR);
    rotate(pool, after, owners);
    await before.visit(browser.copy());
    await after.visit(browser.copy());
    // The refresh token has been used once already.
    expect([before.refreshes, after.refreshes]).toEqual([['adopted'], ['refused']]);
  });

  it('lets the others continue while it does not finish, and they ask for its result again', async () => {
    let flights = 0;
    const { harness, browser, session } = await openDueVisitor(pool, (clock) => ({
      ...createInMemoryStore(clock),
      singleFlight: async () => {
        flights += 1;
        return { state: 'timed-out' };
      },
    }));
    for (let request = 1; request <= 2; request++) {
      expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
      expect(flights).toBe(request);
    }
    expect(harness.refreshes).toEqual(['unavailable', 'unavailable']);
  });
});

describe('what the store contains', () => {
  type Seal = (bytes: Uint8Array, name?: string) => Promise<string>;

  /** Refreshes a session of generation 1 on a machine whose store contains `text`. */
  async function refreshWith(text: (record: SessionRecord, seal: Seal) => Promise<string>) {
    let stored: string | null = null;
    const { harness, owners, browser, session } = await openDueVisitor(pool, (clock) => ({
      ...createInMemoryStore(clock),
      singleFlight: async ({ run }) =>
        stored === null ? { state: 'ran', result: await run() } : { state: 'found', text: stored },
    }));
    const seal: Seal = (bytes, name = 'shared session record') =>
      createCookieSealer(sessionEnv, name).seal(bytes, harness.time.now + HOUR);
    await harness.visit(browser);
    harness.time.now += HOUR;
    rotate(pool, harness, owners);
    const { id, tokens, user } = session;
    const times = { startedAt: 0, renewedAt: harness.time.now, refreshedAt: 0, tokensExpireAt: 0 };
    stored = await text({ ...times, id, tokens, user, generation: 2 }, seal);
    await harness.visit(browser);
    return harness.refreshes[1];
  }
  const encode = (record: SessionRecord) => encodeSessionCookie({ kind: 'session', record });

  it('is adopted if it is a newer record of the session, in the format of earlier versions of the site', async () => {
    expect(await refreshWith((record, seal) => seal(encode(record)))).toBe('adopted');
  });

  it.each<[string, Partial<SessionRecord>]>([
    ['of another session', { id: 'session-2' }],
    ['of another user', { user: { sub: 'ben', email: null, name: null, groups: [] } }],
    ['of the same generation', { generation: 1 }],
  ])('is ignored if it is a record %s: the machine refreshes by itself', async (_, changes) => {
    expect(await refreshWith((record, seal) => seal(encode({ ...record, ...changes })))).toBe('refreshed');
  });

  it.each<[string, Parameters<typeof refreshWith>[0]]>([
    ['is the mark of an ended session', (_, seal) => seal(encodeSessionCookie({ kind: 'ended' }))],
    ['has another format', (_, seal) => seal(Uint8Array.of(1))],
    ['was sealed for a cookie', (record, seal) => seal(encode(record), '__Host-session')],
  ])('is ignored if it %s: the machine refreshes by itself', async (_, text) => {
    expect(await refreshWith(text)).toBe('refreshed');
  });
});

describe('a closed session', () => {
  it('is remembered for a day, and no other session is closed', async () => {
    pool.script({ revoke: () => ({}) });
    const harness = createSessionHarness(pool);
    const claims = { exp: 4e9 };
    const { browser, session } = await harness.signIn({ claims });
    const other = await harness.signIn({ claims });
    const copy = browser.copy();
    await harness.signOut(browser, session);
    harness.time.now += 24 * HOUR;
    expect((await harness.visit(copy)).session).toEqual({ state: 'anonymous' });
    expect((await harness.visit(other.browser)).session.state).toBe('signed-in');
    harness.time.now += 1;
    expect((await harness.visit(copy)).session.state).toBe('signed-in');
  });
});

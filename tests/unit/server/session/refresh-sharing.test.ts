import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCookieSealer } from '../../../../app/server/cookies/sealed-cookie.ts';
import { encodeSessionCookie, type SessionRecord } from '../../../../app/server/session/session-record.ts';
import { createSharedRefresh } from '../../../../app/server/session/shared-refresh.ts';
import { createInMemoryStore } from '../../../../app/server/shared-store/in-memory-store.ts';
import type { SharedStore } from '../../../../app/server/shared-store/shared-store.ts';
import { openDueVisitor } from '../../../support/sign-in/due-visitor.ts';
import { createSessionHarness, sessionEnv } from '../../../support/sign-in/session-harness.ts';
import {
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

const HOUR = 60 * 60_000;
const time = { now: 0 };
const clock = () => time.now;

beforeEach(() => {
  time.now = Date.UTC(2026, 10, 21);
});

const recordWith = (changes: Partial<SessionRecord> = {}): SessionRecord => ({
  id: 'session-1',
  startedAt: 0,
  renewedAt: 0,
  refreshedAt: 0,
  generation: 3,
  tokensExpireAt: 0,
  tokens: { accessToken: 'a', idToken: null, refreshToken: 'r', deviceKey: null, clockDrift: 0 },
  user: { sub: 'ada', email: null, name: null },
  ...changes,
});
const refreshed = (record: SessionRecord) => async () => ({ state: 'refreshed' as const, record });

/** One machine and what it does with the store. `answer` is what the store returns instead of running a refresh. */
function createMachine(
  answer: { state: 'found'; text: string } | { state: 'timed-out' } | null = null,
  secrets = sessionEnv.secrets,
) {
  const flights: { key: string; version: number; ttlMs: number }[] = [];
  const shared: ({ version: number; text: string } | null)[] = [];
  const singleFlight: SharedStore['singleFlight'] = async ({ key, version, ttlMs, run, share }) => {
    flights.push({ key, version, ttlMs });
    if (answer) return answer;
    const result = await run();
    shared.push(await share(result));
    return { state: 'ran', result };
  };
  const store = { ...createInMemoryStore(clock), singleFlight };
  return { ...createSharedRefresh({ store, secrets, clock }), flights, shared };
}

/** The text that a machine shares after a refresh that produced `record`. */
async function sharedTextOf(record: SessionRecord): Promise<string> {
  const machine = createMachine();
  await machine.refreshOnce(recordWith(), refreshed(record));
  return machine.shared[0]?.text ?? '';
}

describe('a refresh on one of several machines', () => {
  it('is stored for an hour under the session, with its generation as the version', async () => {
    const machine = createMachine();
    const next = recordWith({ generation: 4 });
    expect(await machine.refreshOnce(recordWith(), refreshed(next))).toEqual({
      state: 'refreshed',
      record: next,
    });
    expect(machine.flights).toEqual([{ key: 'session session-1', version: 3, ttlMs: HOUR }]);
    expect(machine.shared).toEqual([{ version: 4, text: expect.any(String) }]);
  });

  it('is not stored when it fails', async () => {
    const machine = createMachine();
    const failed = { state: 'unavailable' as const, failures: 1, retryAt: 0, unverified: null };
    expect(await machine.refreshOnce(recordWith(), async () => failed)).toEqual(failed);
    expect(machine.shared).toEqual([null]);
  });

  it('is busy while another machine does not finish', async () => {
    const machine = createMachine({ state: 'timed-out' });
    expect(await machine.refreshOnce(recordWith(), refreshed(recordWith()))).toEqual({ state: 'busy' });
  });

  it('returns the record of another machine without a refresh of its own', async () => {
    const next = recordWith({ generation: 4 });
    const machine = createMachine({ state: 'found', text: await sharedTextOf(next) });
    const refresh = async () => ({ state: 'refused' as const, generation: 3 });
    expect(await machine.refreshOnce(recordWith(), refresh)).toEqual({ state: 'refreshed', record: next });
    time.now += HOUR - 1;
    expect(await machine.refreshOnce(recordWith(), refresh)).toMatchObject({ state: 'refreshed' });
    time.now += 1;
    expect(await machine.refreshOnce(recordWith(), refresh)).toMatchObject({ state: 'refused' });
  });

  it.each([
    ['of another session', { id: 'session-2', generation: 4 }],
    ['of another user', { user: { sub: 'ben', email: null, name: null }, generation: 4 }],
    ['of the same generation', { generation: 3 }],
    ['of an older generation', { generation: 2 }],
  ])('runs on its own when the stored record is %s', async (_, changes) => {
    const machine = createMachine({ state: 'found', text: await sharedTextOf(recordWith(changes)) });
    const own = recordWith({ generation: 9 });
    expect(await machine.refreshOnce(recordWith(), refreshed(own))).toEqual({
      state: 'refreshed',
      record: own,
    });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['is not sealed', () => 'x'],
    ['is the mark of an ended session', () => seal(encodeSessionCookie({ kind: 'ended' }))],
    ['has another format', () => seal(Uint8Array.of(1))],
    ['was sealed for a cookie', () => sealNext('__Host-session')],
  ])('runs on its own when what is stored %s', async (_, text) => {
    const machine = createMachine({ state: 'found', text: await text() });
    const own = recordWith({ generation: 9 });
    expect(await machine.refreshOnce(recordWith(), refreshed(own))).toEqual({
      state: 'refreshed',
      record: own,
    });
  });

  it('reads what an earlier version of the site has stored', async () => {
    const machine = createMachine({ state: 'found', text: await sealNext('shared session record') });
    const refresh = async () => ({ state: 'refused' as const, generation: 3 });
    expect(await machine.refreshOnce(recordWith(), refresh)).toMatchObject({ record: { generation: 4 } });
  });

  const seal = (bytes: Uint8Array, name = 'shared session record') =>
    createCookieSealer(sessionEnv.secrets, name).seal(bytes, time.now + HOUR);
  const sealNext = (name: string) =>
    seal(encodeSessionCookie({ kind: 'session', record: recordWith({ generation: 4 }) }), name);
});

describe('the sessions of several machines', () => {
  let pool: ScriptedUserPool;
  beforeAll(async () => {
    pool = await startScriptedUserPool();
  });
  afterEach(() => pool.reset());
  afterAll(() => pool.close());

  it('adopt a refresh of another machine, without a request of their own', async () => {
    const shared = new Map<string, { version: number; text: string }>();
    const openStore = (storeClock: () => number): SharedStore => ({
      ...createInMemoryStore(storeClock),
      singleFlight: async ({ key, version, run, share }) => {
        const found = shared.get(key);
        if (found && found.version > version) return { state: 'found', text: found.text };
        const result = await run();
        const value = await share(result);
        if (value) shared.set(key, value);
        return { state: 'ran', result };
      },
    });
    const { harness: one, browser, session } = await openDueVisitor(pool, openStore);
    const two = createSessionHarness(pool, {}, openStore);
    two.time.now = one.time.now;
    const refreshed = (await one.visit(browser.copy())).session;
    expect(refreshed).not.toEqual(session);
    expect((await two.visit(browser.copy())).session).toEqual(refreshed);
    expect((await two.visit(browser.copy())).session).toEqual(refreshed);
    expect(pool.received.api).toHaveLength(1);
    expect([one.refreshes, two.refreshes]).toEqual([['refreshed'], ['adopted']]);
  });

  it('continue while another machine does not finish its refresh, and ask for its result again', async () => {
    let flights = 0;
    const { harness, browser, session } = await openDueVisitor(pool, (storeClock) => ({
      ...createInMemoryStore(storeClock),
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

describe('a closed session', () => {
  it('is remembered for a day, and no other session is closed', async () => {
    const machine = createMachine();
    await machine.close('one');
    expect([await machine.isClosed('one'), await machine.isClosed('two')]).toEqual([true, false]);
    time.now += 24 * HOUR;
    expect(await machine.isClosed('one')).toBe(true);
    time.now += 1;
    expect(await machine.isClosed('one')).toBe(false);
  });
});

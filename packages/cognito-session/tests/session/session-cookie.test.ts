import { describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { sessionEnv } from '../../../../tests/support/sign-in/session-harness.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';
import { createCookieSealer } from '../../src/cookies/sealed-cookie.ts';
import { SessionCookie } from '../../src/session/session-cookie.ts';
import type { SessionRecord } from '../../src/session/session-record.ts';

const T = Date.UTC(2026, 10, 21, 12);
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const recordWith = (changes: Partial<SessionRecord> = {}): SessionRecord => ({
  id: 'id',
  startedAt: T,
  renewedAt: T,
  refreshedAt: T,
  generation: 0,
  tokensExpireAt: T + HOUR,
  tokens: { accessToken: 'a.b.c', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 0 },
  user: { sub: 'sub', email: null, name: null, groups: [] },
  ...changes,
});

/** The cookies of one process and a browser. The test sets the clock through `time.now`. */
function openProcess(changes: Partial<Env['session']> = {}, browser = createCookieStore()) {
  const time = { now: T };
  const cookie = new SessionCookie({
    env: { session: { ...sessionEnv, ...changes } },
    clock: () => time.now,
  });
  const respond = async (write: (jar: ReturnType<typeof createResponseCookies>) => unknown) => {
    const jar = createResponseCookies();
    await write(jar);
    browser.receive(jar);
    return jar.lines();
  };
  return {
    time,
    browser,
    read: () => cookie.read(browser.request()),
    write: (record: SessionRecord) => respond((jar) => cookie.write(browser.request(), jar, record)),
    writeEnded: () => respond((jar) => cookie.writeEnded(browser.request(), jar)),
    clear: () => respond((jar) => cookie.clear(browser.request(), jar)),
  };
}

const attributesOf = (line = '') => line.replace(/=[^;]*/, '=…');

describe('the session cookie', () => {
  it('lasts as long as the session may, and has the configured attributes', async () => {
    const strict = openProcess({ sameSite: 'strict' });
    strict.time.now += DAY;
    const [line] = await strict.write(recordWith());
    expect(attributesOf(line)).toBe(
      `__Host-session=…; Max-Age=${364 * 86_400}; Path=/; HttpOnly; Secure; SameSite=Strict`,
    );
    const [plain] = await openProcess({ secure: false }).write(recordWith());
    expect(attributesOf(plain)).toBe(`session=…; Max-Age=${365 * 86_400}; Path=/; HttpOnly; SameSite=Lax`);
  });

  it('is deleted with the same attributes', async () => {
    const process = openProcess();
    await process.write(recordWith());
    expect(await process.clear()).toEqual([
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(await process.read()).toEqual({ state: 'none' });
  });

  it.each([
    ['when it was written, although they are longer now', { maxIdle: 600 }, {}],
    ['now, although they were longer when it was written', {}, { maxIdle: 600 }],
  ])('expires at the limits that hold %s', async (_, limitsBefore, limitsNow) => {
    const before = openProcess(limitsBefore);
    await before.write(recordWith());
    const after = openProcess(limitsNow, before.browser);
    after.time.now = T + 600_000 - 1;
    expect(await after.read()).toMatchObject({ state: 'open' });
    after.time.now = T + 600_000;
    expect(await after.read()).toEqual({ state: 'expired' });
  });

  it('is sealed once for all requests that write the same record', async () => {
    const process = openProcess();
    const record = recordWith();
    const lines = await Promise.all([process.write(record), process.write(record)]);
    expect(lines[0]).toEqual(lines[1]);
    expect(await process.write({ ...record })).not.toEqual(lines[0]);
  });

  it('is unreadable when its first chunk is missing, or its content has another format', async () => {
    const sealer = createCookieSealer(sessionEnv, '__Host-session');
    const otherFormat = `1.${await sealer.seal(Uint8Array.of(1), T + HOUR)}`;
    for (const cookie of [['__Host-session.1', 'x'] as const, ['__Host-session', otherFormat] as const]) {
      const process = openProcess({}, createCookieStore(new Map([cookie])));
      expect(await process.read()).toEqual({ state: 'unreadable' });
    }
  });
});

describe('the mark of an ended session', () => {
  it('replaces the session for an hour', async () => {
    const process = openProcess();
    await process.write(recordWith());
    const [line] = await process.writeEnded();
    expect(attributesOf(line)).toBe('__Host-session=…; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Lax');
    expect(await process.read()).toEqual({ state: 'ended' });
    process.time.now += HOUR - 1;
    expect(await process.read()).toEqual({ state: 'ended' });
    process.time.now += 1;
    expect(await process.read()).toEqual({ state: 'unreadable' });
  });
});

describe('the cache of opened cookies', () => {
  it('returns the same record for the same cookie', async () => {
    const process = openProcess();
    await process.write(recordWith());
    const [first, second] = [await process.read(), await process.read()];
    if (first.state !== 'open' || second.state !== 'open') throw new TypeError();
    expect(first.record).toEqual(recordWith());
    expect(second.record).toBe(first.record);
  });

  it('does not return a record for a cookie with the same end', async () => {
    const process = openProcess();
    await process.write(recordWith());
    await process.read();
    const value = process.browser.cookies.get('__Host-session') ?? '';
    const other = value[40] === 'A' ? 'B' : 'A';
    process.browser.cookies.set('__Host-session', `${value.slice(0, 40)}${other}${value.slice(41)}`);
    expect(await process.read()).toEqual({ state: 'unreadable' });
  });
});

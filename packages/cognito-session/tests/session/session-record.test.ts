import { describe, expect, it } from 'vitest';
import {
  decodeSessionCookie,
  encodeSessionCookie,
  hasExpiredToken,
  isRefreshable,
  isRefreshDue,
  isRenewalDue,
  type SessionRecord,
  sessionEnd,
} from '../../src/session/session-record.ts';
import { packTexts } from '../../src/session/token-packing.ts';

const T = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const recordWith = (changes: Partial<SessionRecord>, clockDrift = 0): SessionRecord => ({
  id: 'id',
  startedAt: T,
  renewedAt: T,
  refreshedAt: T,
  generation: 3,
  tokensExpireAt: T + 60 * MINUTE,
  tokens: { accessToken: 'a.b.c', idToken: 'd.e.f', refreshToken: 'g.h.i.j.k', deviceKey: null, clockDrift },
  user: { sub: 'sub', email: 'مثال@example.com', name: null, groups: ['admins'] },
  ...changes,
});

describe('a refresh', () => {
  it.each([
    [0, -5000, false],
    [0, -4999, true],
    // The user pool's clock is ten minutes ahead: by this machine's clock the token expires ten minutes earlier.
    [10 * MINUTE, -10 * MINUTE - 5000, false],
    [10 * MINUTE, -10 * MINUTE - 4999, true],
  ])('is due for a drift of %i ms at %i ms relative to the expiry: %s', (drift, offset, due) => {
    const record = recordWith({}, drift);
    expect(isRefreshDue(record, { recheckAfter: null }, record.tokensExpireAt + offset)).toBe(due);
  });

  it.each([
    [null, 54 * MINUTE, false],
    [600, 10 * MINUTE - 1, false],
    [600, 10 * MINUTE, true],
  ])('is due for a limit of %s s at %i ms after the last one: %s', (recheckAfter, elapsed, due) => {
    // By this machine's clock: the drift of the user pool's does not matter.
    for (const record of [recordWith({}), recordWith({ startedAt: T - DAY }, -10 * MINUTE)]) {
      expect(isRefreshDue(record, { recheckAfter }, T + elapsed)).toBe(due);
    }
  });

  it('needs a refresh token', () => {
    const { tokens } = recordWith({});
    expect(isRefreshable(recordWith({}))).toBe(true);
    expect(isRefreshable(recordWith({ tokens: { ...tokens, refreshToken: null } }))).toBe(false);
  });

  it('is due before the token expires', () => {
    const record = recordWith({}, 10 * MINUTE);
    const expiry = record.tokensExpireAt - 10 * MINUTE;
    expect(hasExpiredToken(record, expiry - 1)).toBe(false);
    expect(hasExpiredToken(record, expiry)).toBe(true);
  });
});

describe('the end of a session', () => {
  it('is the earlier of its age and its idle time', () => {
    const limits = { maxAge: 10 * 86_400, maxIdle: 3 * 86_400 };
    expect(sessionEnd(recordWith({ renewedAt: T }), limits)).toBe(T + 3 * DAY);
    expect(sessionEnd(recordWith({ renewedAt: T + 9 * DAY }), limits)).toBe(T + 10 * DAY);
  });

  it('is postponed once a day, and more often if the idle time is short', () => {
    const record = recordWith({});
    expect(isRenewalDue(record, { maxIdle: 30 * 86_400 }, T + DAY - 1)).toBe(false);
    expect(isRenewalDue(record, { maxIdle: 30 * 86_400 }, T + DAY)).toBe(true);
    expect(isRenewalDue(record, { maxIdle: 600 }, T + MINUTE - 1)).toBe(false);
    expect(isRenewalDue(record, { maxIdle: 600 }, T + MINUTE)).toBe(true);
  });
});

describe('the content of a session cookie', () => {
  const sessionJson = JSON.stringify({ kind: 'session', ...recordWith({}), clockDrift: 0, deviceKey: null });

  it('is decoded to what was encoded', () => {
    const full = recordWith({}, -1234);
    const bare = recordWith({
      tokens: { accessToken: 'a.b.c', idToken: null, refreshToken: null, deviceKey: 'eu_1-2', clockDrift: 0 },
    });
    for (const record of [full, bare]) {
      const content = { kind: 'session', record } as const;
      expect(decodeSessionCookie(encodeSessionCookie(content))).toEqual(content);
    }
    expect(decodeSessionCookie(encodeSessionCookie({ kind: 'ended' }))).toEqual({ kind: 'ended' });
  });

  it('names the groups of the access token once', () => {
    const groups = ['admins', 'editors'];
    const payload = Buffer.from(JSON.stringify({ 'cognito:groups': groups })).toString('base64url');
    const withGroups = (named: string[]) => {
      const record = recordWith({});
      const tokens = { ...record.tokens, accessToken: `a.${payload}.c` };
      return {
        kind: 'session',
        record: { ...record, tokens, user: { ...record.user, groups: named } },
      } as const;
    };
    expect(String(encodeSessionCookie(withGroups(groups))).split('editors')).toHaveLength(2);
    for (const named of [groups, ['admins'], []]) {
      expect(decodeSessionCookie(encodeSessionCookie(withGroups(named)))).toEqual(withGroups(named));
    }
  });

  it('of an earlier version has its last refresh at its start, and no groups', () => {
    const { refreshedAt: _, tokens: __, user, ...fields } = recordWith({ renewedAt: T + MINUTE });
    const { groups: ___, ...sealed } = user;
    const json = JSON.stringify({ kind: 'session', ...fields, user: sealed, clockDrift: 5, deviceKey: null });
    expect(decodeSessionCookie(packTexts([json, 'a.b.c']))).toEqual({
      kind: 'session',
      record: {
        ...fields,
        refreshedAt: T,
        user: { ...sealed, groups: [] },
        tokens: { accessToken: 'a.b.c', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 5 },
      },
    });
  });

  it.each([
    ['no texts', []],
    ['text that is not JSON', ['x']],
    ['another kind', ['{"kind":"guest"}']],
    ['a session with an empty access token', [sessionJson, '', null, null]],
    ['a session without an access token', [sessionJson, null, null, 'g.h.i.j.k']],
    ['fields of another version', ['{"kind":"session","id":"x"}', 'a.b.c', null, null]],
  ])('is null for %s', (_, texts) => {
    expect(decodeSessionCookie(packTexts(texts))).toBeNull();
  });

  it('is null for bytes that are no packed texts', () => {
    expect(decodeSessionCookie(Uint8Array.of(1, 0))).toBeNull();
  });
});

import { hkdfSync, randomBytes } from 'node:crypto';
import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { timesAsLong } from '../../../../tests/support/timing/relative-time.ts';
import { cookieName, createCookieSealer } from '../../src/cookies/sealed-cookie.ts';

const OLD = 'old-9f3kd02mzQpwL4vX8hTyRu6BnCsEaJgi';
const NEW = 'new-Zx71LmQe5VtYb0KpRw9UoNc3HsDfGajk';
const now = Date.UTC(2026, 10, 21);
const later = now + 60_000;
const body = Buffer.from('what only the server knows');

const sealedWith = (...secrets: [string, ...string[]]) => ({ secrets, namespace: 'tenfold' });
const seal = (secret: string, name = '__Host-session') =>
  createCookieSealer(sealedWith(secret), name).seal(body, later);
const open = (value: string, name = '__Host-session', at = now) =>
  createCookieSealer(sealedWith(OLD), name).open(value, at);

/** Seals as the site does, with the key of `OLD`, but with another plaintext or other algorithms. */
const sealOtherwise = async (plaintext: Uint8Array, { alg = 'dir', enc = 'A256GCM' } = {}) =>
  new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg, enc, kid: String(decodeProtectedHeader(await seal(OLD)).kid) })
    .encrypt(Buffer.from(hkdfSync('sha256', OLD, '', 'tenfold cookie key __Host-session', 32)));

/** The expiry `later`, as sealed cookies start with it. */
const expiry = Buffer.from(later.toString(16).padStart(12, '0'), 'hex');

describe('a sealed cookie', () => {
  it('returns what was sealed', async () => {
    expect(await open(await seal(OLD))).toEqual({ state: 'open', body, expiresAt: later });
  });

  it('opens after an update of the site', async () => {
    // Sealed by version 0.1.0.
    const value =
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiR3lRWG8wT08ifQ..zPtXewr_ehqWjJY1.H8CfRAbG4QoQi7zdgO9ZPUp9AuUeQe9K1VzxSp8MEDA.LH4foEj27gbljme_-l7gtw';
    expect(await open(value)).toEqual({ state: 'open', body, expiresAt: later });
  });

  it('may be empty', async () => {
    const value = await createCookieSealer(sealedWith(OLD), '__Host-session').seal(new Uint8Array(), later);
    expect(await open(value)).toEqual({ state: 'open', body: Buffer.alloc(0), expiresAt: later });
  });

  it('hides its content and differs each time', async () => {
    const [one, two] = [await seal(OLD), await seal(OLD)];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[3] ?? '', 'base64url').toString()).not.toContain('server');
    expect(decodeProtectedHeader(one)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: expect.any(String) });
  });

  // threat-model: T-005
  it('does not open when any bit is changed', async () => {
    const value = await seal(OLD);
    const sealer = createCookieSealer(sealedWith(OLD), '__Host-session');
    const opened: string[] = [];
    for (let index = 0; index < value.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = String.fromCharCode(value.charCodeAt(index) ^ (1 << bit));
        const forged = value.slice(0, index) + changed + value.slice(index + 1);
        if ((await sealer.open(forged, now)).state !== 'unreadable') opened.push(`${index}:${bit}`);
      }
    }
    expect(opened).toEqual([]);
  });

  // threat-model: T-005
  it('does not open when it is truncated at any place or extended', async () => {
    const value = await seal(OLD);
    for (let length = 0; length < value.length; length++) {
      expect((await open(value.slice(0, length))).state).toBe('unreadable');
    }
    for (const extra of ['A', '=', '.', ' ', '.A']) {
      expect((await open(value + extra)).state).toBe('unreadable');
    }
  });

  it.each(['', '....', 'a.b.c.d.e', '💥'])('reports %j as unreadable', async (value) => {
    expect((await open(value)).state).toBe('unreadable');
  });

  // threat-model: T-112
  it('takes less time to reject, with thousands of segments, than a genuine one takes to open', async () => {
    const genuine = await seal(OLD);
    const timeOf = (value: string) => async () => {
      const start = performance.now();
      await open(value);
      return { ms: performance.now() - start };
    };
    expect(await timesAsLong(timeOf('.'.repeat(31_000)), timeOf(genuine), 50)).toBeLessThan(1);
  });

  it('is unreadable when its content is too short for an expiry', async () => {
    expect((await open(await sealOtherwise(Buffer.concat([expiry, body])))).state).toBe('open');
    expect((await open(await sealOtherwise(expiry.subarray(0, 5)))).state).toBe('unreadable');
  });

  // threat-model: T-006
  it.each([
    { alg: 'dir', enc: 'A128CBC-HS256' },
    { alg: 'A256KW', enc: 'A256GCM' },
  ])('does not open with other algorithms and the right key: %o', async (algorithms) => {
    expect((await open(await sealOtherwise(Buffer.concat([expiry, body]), algorithms))).state).toBe(
      'unreadable',
    );
  });

  // threat-model: T-008
  it('does not open under the name of another cookie', async () => {
    const value = await seal(OLD, '__Host-oauth');
    expect((await open(value, '__Host-oauth')).state).toBe('open');
    expect((await open(value, '__Host-session')).state).toBe('unreadable');
  });

  // threat-model: T-006
  it('does not open with another secret', async () => {
    expect((await open(await seal(NEW))).state).toBe('unreadable');
  });

  // threat-model: T-006
  it('opens with every configured secret and seals with the first', async () => {
    const both = createCookieSealer(sealedWith(NEW, OLD), '__Host-session');
    expect((await both.open(await seal(OLD), now)).state).toBe('open');
    expect((await open(await both.seal(body, later))).state).toBe('unreadable');
    const onlyNew = createCookieSealer(sealedWith(NEW), '__Host-session');
    expect((await onlyNew.open(await both.seal(body, later), now)).state).toBe('open');
  });

  // threat-model: T-007
  it('expires at the sealed time, however long the browser stores it', async () => {
    const value = await seal(OLD);
    expect((await open(value, '__Host-session', later - 1)).state).toBe('open');
    expect(await open(value, '__Host-session', later)).toEqual({ state: 'expired', body, expiresAt: later });
  });

  // threat-model: T-006
  it('does not use a key from the header of the value', async () => {
    const kid = String(decodeProtectedHeader(await seal(OLD)).kid);
    const key = randomBytes(32);
    const jwk = { kty: 'oct', k: key.toString('base64url') };
    const forged = await new CompactEncrypt(Buffer.alloc(20, 0xff))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, jwk })
      .encrypt(key);
    expect((await open(forged)).state).toBe('unreadable');
  });
});

describe('the name of a cookie', () => {
  it('has the prefix __Host- if cookies are secure', () => {
    expect(cookieName('session', true)).toBe('__Host-session');
    expect(cookieName('session', false)).toBe('session');
  });
});

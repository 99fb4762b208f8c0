import { createHmac } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { settlesWithin } from '../../../../tests/support/timing/settles-within.ts';
import {
  type Claims,
  claimsIssuedAt,
  type SigningOptions,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createTokenVerifier } from '../../src/user-pool/token-verifier.ts';

const MINUTE = 60_000;
const now = Date.now();
const NONCE = 'nonce-of-this-sign-in';

/** The messages of the errors for the log. */
const INVALID = 'the token is not valid';
const WRONG_CLAIM = 'a claim is missing or has the wrong type';

const pool = await shareUserPool();
afterEach(() => void vi.useRealTimers());

const verifierAt = (time: number) =>
  createTokenVerifier({ env: { userPool: pool.userPool() }, clock: () => time });

type Verifier = ReturnType<typeof createTokenVerifier>;

const expectInvalid = (tokens: Parameters<Verifier['verify']>[0], verifier = verifierAt(now)) =>
  expect(verifier.verify(tokens, NONCE)).rejects.toMatchObject({ code: 'invalid-token' });

/** A valid pair of tokens, except for the given changes. */
async function pair({
  access = {},
  id = {},
  accessSigning,
  idSigning,
}: {
  access?: Claims;
  id?: Claims;
  accessSigning?: SigningOptions;
  idSigning?: SigningOptions;
} = {}) {
  return {
    accessToken: await pool.accessToken(claimsIssuedAt(now, access), accessSigning),
    idToken: await pool.idToken(claimsIssuedAt(now, { nonce: NONCE, name: 'Ada', ...id }), idSigning),
  };
}

describe('valid tokens', () => {
  it('return the user, the expiry and the clock drift', async () => {
    const verified = await verifierAt(now - 90_000).verify(await pair({ id: { exp: 4e9 } }), NONCE);
    const iat = Math.floor(now / 1000);
    expect(verified).toEqual({
      user: { sub: expect.stringMatching(/^a1b2/), email: 'ada@example.com', name: 'Ada', groups: [] },
      clockDrift: iat * 1000 - (now - 90_000),
      expiresAt: (iat + 3600) * 1000,
      authenticatedAt: null,
      scopes: [],
      deviceKey: null,
    });
  });

  it('may contain unknown claims and a device key', async () => {
    const extra = { 'cognito:groups': ['a'], 'custom:x': '1', device_key: 'us-east-1_device' };
    const verified = await verifierAt(now).verify(await pair({ access: extra, id: extra }), NONCE);
    expect(verified.deviceKey).toBe('us-east-1_device');
  });

  it('name the groups of the user: the ID token, or the access token if there is no other', async () => {
    const tokens = await pair({ access: { 'cognito:groups': ['a'] }, id: { 'cognito:groups': ['b', 'c'] } });
    expect((await verifierAt(now).verify(tokens, NONCE)).user.groups).toEqual(['b', 'c']);
    const { user } = await verifierAt(now).verify({ ...tokens, idToken: null }, null);
    expect(user.groups).toEqual(['a']);
  });

  // threat-model: T-123
  it.each([
    ['a text', 'admins'],
    ['an object', { admins: true }],
    ['a list with something else', ['admins', null]],
    ['an empty name', ['']],
    ['a name that is too long', ['a'.repeat(129)]],
  ])('must not have %s as groups', async (_what, groups) => {
    await expectInvalid(await pair({ id: { 'cognito:groups': groups } }));
    await expectInvalid(await pair({ access: { 'cognito:groups': groups } }));
  });

  // threat-model: T-038
  it.each([-10, 10])('are accepted on a machine whose clock is %i minutes off', async (minutes) => {
    // The shortest lifetime of a user pool: for a clock that is fast, they have expired on arrival.
    const exp = Math.floor(now / 1000) + 5 * 60;
    const tokens = await pair({ access: { exp }, id: { exp } });
    const verified = await verifierAt(now + minutes * MINUTE).verify(tokens, NONCE);
    expect(verified.expiresAt).toBe(exp * 1000);
    expect(verified.clockDrift / MINUTE).toBeCloseTo(-minutes, 1);
  });

  it.each([
    [-15 * MINUTE, 15 * MINUTE],
    [-15 * MINUTE - 1, 0],
    [15 * MINUTE, -15 * MINUTE],
    [15 * MINUTE + 1, 0],
  ])('on a machine whose clock is %i ms off are checked with a drift of %i ms', async (offset, drift) => {
    const issuedAt = Math.floor(now / 1000) * 1000;
    const exp = issuedAt / 1000 + 60 * 60;
    const tokens = await pair({ access: { exp }, id: { exp } });
    expect((await verifierAt(issuedAt + offset).verify(tokens, NONCE)).clockDrift).toBe(drift);
  });

  it.each([
    [600, 900, 600],
    [900, 600, 600],
  ])('that expire after %i and %i seconds expire after %i seconds', async (access, id, earlier) => {
    const iat = Math.floor(now / 1000);
    const tokens = await pair({ access: { exp: iat + access }, id: { exp: iat + id } });
    expect((await verifierAt(now).verify(tokens, NONCE)).expiresAt).toBe((iat + earlier) * 1000);
  });

  it('are rejected an hour after their expiry', async () => {
    await expectInvalid(await pair(), verifierAt(now + 120 * MINUTE));
  });

  it('need no nonce and no ID token at a refresh', async () => {
    const { accessToken } = await pair();
    const verified = await verifierAt(now).verify({ accessToken, idToken: null }, null);
    const expiresAt = (Math.floor(now / 1000) + 3600) * 1000;
    expect(verified).toMatchObject({ user: { email: null, name: null }, expiresAt });
  });
});

describe('invalid tokens', () => {
  const expired = Math.floor(now / 1000) - 60;
  const foreignIssuer = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Other';

  // threat-model: T-026
  it.each<[string, Parameters<typeof pair>[0], string]>([
    ['an ID token for another client', { id: { aud: 'other' } }, INVALID],
    ['an ID token of another issuer', { id: { iss: foreignIssuer } }, INVALID],
    ['an ID token of another sign-in', { id: { nonce: 'other' } }, 'the ID token belongs to another sign-in'],
    ['an ID token without a nonce', { id: { nonce: undefined } }, 'the ID token belongs to another sign-in'],
    ['an access token instead of an ID token', { id: { token_use: 'access' } }, WRONG_CLAIM],
    ['an expired ID token', { id: { exp: expired } }, INVALID],
    ['an ID token without an expiry', { id: { exp: undefined } }, WRONG_CLAIM],
    ['an ID token signed with an unknown key', { idSigning: { header: { kid: 'unknown' } } }, INVALID],
    ['an ID token signed with another key under a known id', { idSigning: { unknownKey: true } }, INVALID],
    ['an ID token of another user', { id: { sub: 'another-user' } }, 'the tokens belong to different users'],
    [
      'an access token for another client',
      { access: { client_id: 'other' } },
      'the access token is for another client',
    ],
    ['an access token of another issuer', { access: { iss: foreignIssuer } }, INVALID],
    ['an access token without iat', { access: { iat: undefined } }, 'iat not found in access token'],
    ['an access token without an expiry', { access: { exp: undefined } }, WRONG_CLAIM],
    ['an expired access token', { access: { exp: expired } }, INVALID],
    ['an ID token instead of an access token', { access: { token_use: 'id' } }, WRONG_CLAIM],
    ['an access token signed with another key', { accessSigning: { unknownKey: true } }, INVALID],
    ['an ID token without a user', { id: { sub: undefined } }, WRONG_CLAIM],
    ['tokens of a user without an id', { access: { sub: '' }, id: { sub: '' } }, WRONG_CLAIM],
  ])('are rejected: %s', async (_, changes, message) => {
    const verifying = verifierAt(now).verify(await pair(changes), NONCE);
    await expect(verifying).rejects.toMatchObject({ name: 'SignInError', code: 'invalid-token', message });
  });

  it('are rejected: no ID token at a sign-in', async () => {
    const { accessToken } = await pair();
    await expectInvalid({ accessToken, idToken: null });
  });

  const claims = () => claimsIssuedAt(now, { nonce: NONCE, aud: pool.userPool().clientId, token_use: 'id' });

  // threat-model: T-026
  it('are rejected: alg none', async () => {
    const idToken = new UnsecuredJWT(claims()).setIssuer(pool.userPool().issuer).encode();
    const { accessToken } = await pair();
    await expectInvalid({ accessToken, idToken });
  });

  // threat-model: T-026
  it('are rejected: HS256 with the public key as the secret', async () => {
    const [header, payload] = (
      await new SignJWT(claims())
        .setIssuer(pool.userPool().issuer)
        .setProtectedHeader({ alg: 'HS256', kid: 'known' })
        .sign(new Uint8Array(32))
    ).split('.');
    const secret = JSON.stringify(pool.publicKeys.keys[0]);
    const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
    const { accessToken } = await pair();
    await expectInvalid({ accessToken, idToken: `${header}.${payload}.${signature}` });
  });

  // threat-model: T-026
  it('are rejected: another algorithm with a key that is not bound to one', async () => {
    const keys = pool.publicKeys.keys.map(({ alg: _, ...key }) => key);
    pool.script({ keys: () => ({ body: { keys } }) });
    await verifierAt(now).verify(await pair(), NONCE);
    await expectInvalid(await pair({ idSigning: { header: { alg: 'PS256' } } }));
  });

  it.each(['', 'a.b.c', 'e30.e30.e30'])('are rejected: %j as a token', async (bad) => {
    const { accessToken, idToken } = await pair();
    await expectInvalid({ accessToken: bad, idToken });
    await expectInvalid({ accessToken, idToken: bad });
  });
});

describe('the signing keys', () => {
  it.each([
    ['an error', () => ({ status: 503 })],
    ['other JSON', () => ({ body: { hello: 'world' } })],
    ['a lost connection', () => 'reset' as const],
    ['nothing', () => 'hang' as const],
  ])('cause an UpstreamError within five seconds when the key endpoint responds with %s', async (_, keys) => {
    pool.script({ keys });
    const verifying = settlesWithin(5000, verifierAt(now).verify(await pair(), NONCE));
    await expect(verifying).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'user-pool',
      code: 'KeysUnavailable',
      message: "the user pool's keys could not be fetched",
      cause: expect.any(Error),
    });
  });

  it('are fetched once for many tokens, and again after an hour', async () => {
    vi.useFakeTimers({ now, toFake: ['Date'] });
    const verifier = verifierAt(now);
    const tokens = await pair();
    const fetchedAfter = async (minutes: number) => {
      vi.setSystemTime(now + minutes * MINUTE);
      await Promise.all(Array.from({ length: 50 }, () => verifier.verify(tokens, NONCE)));
      return pool.received.keys.length;
    };
    expect([await fetchedAfter(0), await fetchedAfter(59), await fetchedAfter(61)]).toEqual([1, 1, 2]);
  });
});

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { signUp, siteEnv } from '../../../../tests/support/sign-in/signed-in-session.ts';
import {
  respondWith,
  type Script,
  startUpstream,
} from '../../../../tests/support/upstreams/scripted-upstream.ts';
import type { SignedIn } from '../../../cognito-session/src/session/session.ts';
import { callAws, signUpAtClient } from '../../../local-cloud/tests/support/signed-up-client.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import type { UpstreamError } from '../../../upstream/src/upstream-error.ts';
import { createIdentityPool, type IdentityPoolOptions } from '../../src/identity/identity-pool.ts';

const MINUTE = 60_000;
const log = createLog('silent');
const neverAborted = () => new AbortController().signal;

const time = { ahead: 0 };
const clock = () => Date.now() + time.ahead;
const cloud = await startLocalCloud({ clock });
const [alice, bob] = await Promise.all([signUp(cloud), signUp(cloud)]);
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
  time.ahead = 0;
});

/** The identity of a new process. It does not wait between attempts. */
const openIdentity = ({
  env = siteEnv(cloud),
  ...options
}: Partial<IdentityPoolOptions> & { env?: Env } = {}) =>
  createIdentityPool({
    ...env.identityPool,
    issuer: env.userPool.issuer,
    clock,
    log,
    sleep: async () => {},
    ...options,
  });

const calls = () => cloud.faults.calls['cognito-identity'] ?? {};

/** The configuration of an identity pool with responses that the local cloud never sends. */
async function scriptPool(script: Script) {
  const { url } = await startUpstream(script);
  return siteEnv(cloud, { AWS_ENDPOINT_URL_COGNITO_IDENTITY: new URL(url).origin });
}

/** Responds with one identity whose credentials contain the given fields. */
const issueWith = (fields: Record<string, unknown>) =>
  respondWith(200, {
    IdentityId: 'us-east-1:1',
    Credentials: { AccessKeyId: 'ASIA1', SecretKey: 's', Expiration: Date.now() / 1000 + 3600, ...fields },
  });

describe('the credentials of a session', () => {
  it('come from the identity pool once and then from the cache, also after a refresh of the ID token', async () => {
    const identity = openIdentity();
    const first = await identity.credentialsFor(alice, neverAborted());
    const refreshed = { ...alice, tokens: { ...alice.tokens, idToken: 'another' } };
    const second = await identity.credentialsFor(refreshed, neverAborted());
    expect(first).toMatchObject({
      cached: false,
      identityId: expect.stringMatching(/^us-east-1:[0-9a-f-]{36}$/),
    });
    expect(first.credentials.accessKeyId).toMatch(/^ASIA/);
    expect(second).toEqual({ ...first, cached: true });
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
  });

  // threat-model: T-114
  it('are fetched anew when a refresh has changed the groups of the user, also during a fetch', async () => {
    const email = 'promoted@example.com';
    const { client, idToken: first, refreshToken } = await signUpAtClient(cloud, 'plain', {}, email);
    const change = (operation: 'AdminAddUserToGroup' | 'AdminRemoveUserFromGroup') =>
      callAws(cloud, 'cognito-idp', operation, {
        UserPoolId: cloud.environment().COGNITO_USER_POOL_ID,
        Username: email,
        GroupName: 'admins',
      });
    const refresh = async () => (await client.refresh(refreshToken)).body.id_token ?? '';
    const identity = openIdentity({ env: siteEnv(cloud, cloud.environment({ client: 'plain' })) });
    const credentialsWith = (idToken: string) =>
      identity.credentialsFor({ ...alice, id: email, tokens: { ...alice.tokens, idToken } }, neverAborted());

    await change('AdminAddUserToGroup');
    const promoted = await refresh();
    const [old, current] = await Promise.all([credentialsWith(first), credentialsWith(promoted)]);
    expect(current.identityId).toBe(old.identityId);
    expect(current.credentials.accessKeyId).not.toBe(old.credentials.accessKeyId);
    expect(await credentialsWith(await refresh())).toEqual({ ...current, cached: true });

    await change('AdminRemoveUserFromGroup');
    const demoted = await credentialsWith(await refresh());
    expect(demoted).toMatchObject({ cached: false, identityId: current.identityId });
    expect(demoted.credentials.accessKeyId).not.toBe(current.credentials.accessKeyId);
  });

  // threat-model: T-034
  it('are fetched once per session for concurrent requests, and are never those of another session', async () => {
    const identity = openIdentity();
    const sessions = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? alice : bob));
    const all = await Promise.all(
      sessions.map((session) => identity.credentialsFor(session, neverAborted())),
    );
    const keysOf = (session: SignedIn) =>
      new Set(all.filter((_, i) => sessions[i] === session).map((each) => each.credentials.accessKeyId));
    expect(keysOf(alice).size).toBe(1);
    expect(keysOf(bob).size).toBe(1);
    expect(keysOf(alice)).not.toEqual(keysOf(bob));
    expect(calls()).toEqual({ GetId: 2, GetCredentialsForIdentity: 2 });
  });

  it('differ between two sessions of one user, with the same identity', async () => {
    const identity = openIdentity();
    const one = await identity.credentialsFor(alice, neverAborted());
    const other = await identity.credentialsFor({ ...alice, id: 'another' }, neverAborted());
    expect(other.identityId).toBe(one.identityId);
    expect(other.credentials.accessKeyId).not.toBe(one.credentials.accessKeyId);
  });

  it('are cached for 50 minutes', async () => {
    const identity = openIdentity();
    cloud.faults.set({ tokenSeconds: 86_400 });
    const session = await signUp(cloud);
    await identity.credentialsFor(session, neverAborted());
    time.ahead = 50 * MINUTE - 1000;
    expect((await identity.credentialsFor(session, neverAborted())).cached).toBe(true);
    time.ahead = 50 * MINUTE + 1000;
    expect((await identity.credentialsFor(session, neverAborted())).cached).toBe(false);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });

  it('are replaced a minute before they expire by the clock of AWS', async () => {
    const expiresAt = Date.now() + 10 * MINUTE;
    const env = await scriptPool(issueWith({ Expiration: expiresAt / 1000 }));
    const identity = openIdentity({ env });
    const ahead = { ...alice, tokens: { ...alice.tokens, clockDrift: 3 * MINUTE } };
    await identity.credentialsFor(ahead, neverAborted());
    time.ahead = 6 * MINUTE - 1000;
    expect((await identity.credentialsFor(ahead, neverAborted())).cached).toBe(true);
    time.ahead = 6 * MINUTE + 1000;
    expect((await identity.credentialsFor(ahead, neverAborted())).cached).toBe(false);
  });

  // threat-model: T-039
  it('are removed at sign-out, also during a fetch', async () => {
    const identity = openIdentity();
    const before = identity.credentialsFor(alice, neverAborted());
    identity.forget(alice.id);
    await before;
    expect((await identity.credentialsFor(alice, neverAborted())).cached).toBe(false);
    identity.forget(alice.id);
    expect((await identity.credentialsFor(alice, neverAborted())).cached).toBe(false);
  });

  it('are dropped when they were rejected, if the session still has them', async () => {
    const identity = openIdentity();
    const unknown = { accessKeyId: 'id', secretAccessKey: 'secret' };
    identity.dropCredentials(alice.id, unknown);
    identity.linkGuest(bob.id, 'us-east-1:1');
    identity.dropCredentials(bob.id, unknown);
    const old = await identity.credentialsFor(alice, neverAborted());
    identity.dropCredentials(alice.id, old.credentials);
    const next = await identity.credentialsFor(alice, neverAborted());
    identity.dropCredentials(alice.id, old.credentials);
    expect(await identity.credentialsFor(alice, neverAborted())).toEqual({ ...next, cached: true });
    expect(next.credentials.accessKeyId).not.toBe(old.credentials.accessKeyId);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });

  // threat-model: T-039
  it('are cached for a bounded number of sessions: the least recently used is dropped', async () => {
    const identity = openIdentity({ maxSessions: 2 });
    const [one, two, three] = ['1', '2', '3'].map((id) => ({ ...alice, id }));
    if (!one || !two || !three) throw new TypeError();
    for (const session of [one, two, one, three]) await identity.credentialsFor(session, neverAborted());
    expect((await identity.credentialsFor(one, neverAborted())).cached).toBe(true);
    expect((await identity.credentialsFor(two, neverAborted())).cached).toBe(false);
  });

  it('are still fetched for the other requests when one of them is aborted', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'slow', delayMs: 50 }] });
    const identity = openIdentity();
    const controller = new AbortController();
    const [aborted, other] = [
      identity.credentialsFor(alice, controller.signal),
      identity.credentialsFor(alice, neverAborted()),
    ];
    controller.abort(new Error('aborted'));
    await expect(aborted).rejects.toThrow('aborted');
    expect((await other).credentials.accessKeyId).toMatch(/^ASIA/);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
  });
});

describe('a failed fetch of credentials', () => {
  it('ends with a timeout when the pool never responds', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'hang' }] });
    const identity = openIdentity({ fetchTimeoutMs: 100 });
    await expect(identity.credentialsFor(alice, neverAborted())).rejects.toMatchObject({
      code: 'TimeoutError',
    });
  });

  it('opens the circuit breaker after five failures in a row, for five seconds', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'reset' }] });
    const identity = openIdentity();
    const codeOfFailure = () =>
      identity.credentialsFor(alice, neverAborted()).catch((error: UpstreamError) => error.code);
    for (let failure = 0; failure < 5; failure += 1) expect(await codeOfFailure()).toBe('NetworkError');
    expect(await codeOfFailure()).toBe('CircuitOpen');
    expect(calls()).toEqual({ GetId: 15 });
    cloud.faults.set({});
    time.ahead = 5001;
    expect((await identity.credentialsFor(alice, neverAborted())).cached).toBe(false);
  });

  it.each([
    ['no key id', { AccessKeyId: undefined }],
    ['no secret', { SecretKey: undefined }],
  ])('is reported when the response contains %s', async (_what, credentials) => {
    const env = await scriptPool(issueWith(credentials));
    await expect(openIdentity({ env }).credentialsFor(alice, neverAborted())).rejects.toMatchObject({
      code: 'CredentialsException',
      message: 'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.',
    });
  });

  const inactive = 'Token is inactive';
  const expired = 'Invalid login token. Token expired: 1795276800 >= 1795273200';
  const unchanged = { service: 'identity-pool', code: 'NotAuthorizedException' };

  it.each<[string, object]>([
    [inactive, { code: 'UserUnAuthenticatedException', details: { cause: { message: inactive } } }],
    [
      expired,
      {
        service: 'user-pool',
        code: 'RefreshUnavailable',
        message: 'The ID token has expired and is not refreshed.',
        details: { status: 503, cause: { message: expired } },
      },
    ],
    ['Invalid login token. Incorrect token audience.', unchanged],
    [`The name was: ${inactive}`, unchanged],
    [`The name was: ${expired}`, unchanged],
  ])('is explained by the message: %s', async (message, error) => {
    const env = await scriptPool(respondWith(400, { __type: 'NotAuthorizedException', message }));
    await expect(openIdentity({ env }).credentialsFor(alice, neverAborted())).rejects.toMatchObject(error);
  });

  it('for a session without an ID token calls no upstream', async () => {
    const identity = openIdentity();
    const session = { ...alice, tokens: { ...alice.tokens, idToken: null } };
    await expect(identity.credentialsFor(session, neverAborted())).rejects.toMatchObject({
      service: 'identity-pool',
      code: 'UserUnAuthenticatedException',
      message: 'User needs to be authenticated to call this API.',
    });
    expect(calls()).toEqual({});
  });
});

describe('the guest identity of a visitor', () => {
  it('becomes the identity of the user with the first credentials', async () => {
    const identity = openIdentity();
    const session = await signUp(cloud);
    const guest = await identity.createGuest(neverAborted());
    expect(identity.linkGuest(session.id, guest)).toBe(false);
    expect((await identity.credentialsFor(session, neverAborted())).identityId).toBe(guest);
    expect(identity.linkGuest(session.id, guest)).toBe(true);
    expect((await openIdentity().credentialsFor(session, neverAborted())).identityId).toBe(guest);
  });

  it.each([
    'InvalidParameterException',
    'NotAuthorizedException',
    'ResourceConflictException',
    'ResourceNotFoundException',
  ])('is replaced by that of the login when it is rejected with %s, which is logged', async (code) => {
    const lines: string[] = [];
    const identity = openIdentity({ log: createLog('info', { write: (line) => void lines.push(line) }) });
    const session = await signUp(cloud);
    const guest = await identity.createGuest(neverAborted());
    identity.linkGuest(session.id, guest);
    const operation = 'GetCredentialsForIdentity';
    cloud.faults.set({
      faults: [{ service: 'cognito-identity', operation, kind: 'error', error: code, times: 1 }],
    });
    expect((await identity.credentialsFor(session, neverAborted())).identityId).not.toBe(guest);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', err: { name: 'UpstreamError', code }, msg: 'identity rejected for this login' },
    ]);
  });

  it('is still linked after a temporary failure', async () => {
    const identity = openIdentity();
    const session = await signUp(cloud);
    const guest = await identity.createGuest(neverAborted());
    identity.linkGuest(session.id, guest);
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'status', status: 500, times: 3 }] });
    await expect(identity.credentialsFor(session, neverAborted())).rejects.toThrow();
    expect((await identity.credentialsFor(session, neverAborted())).identityId).toBe(guest);
  });
});

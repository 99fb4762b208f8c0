import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { createIdentity } from '../../../../app/server/identity/identity.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import type { SignedIn } from '../../../../app/server/session/session.ts';
import { type LocalCloud, startLocalCloud } from '../../../../local-cloud/start.ts';
import { signUp, siteEnv } from '../../../support/sign-in/signed-in-session.ts';

const MINUTE = 60_000;
const log = createLog('silent');
const patient = () => new AbortController().signal;

let cloud: LocalCloud;
let alice: SignedIn;
let bob: SignedIn;
const time = { ahead: 0 };
const clock = () => Date.now() + time.ahead;

beforeAll(async () => {
  cloud = await startLocalCloud({ clock });
  [alice, bob] = await Promise.all([signUp(cloud), signUp(cloud)]);
});
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
  time.ahead = 0;
});

/** A fresh process's identity, which does not wait between attempts but notes how long it would. */
function open(options: Partial<Parameters<typeof createIdentity>[0]> = {}) {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { ...createIdentity({ env: siteEnv(cloud), clock, log, sleep, ...options }), waits };
}

const calls = () => cloud.faults.calls['cognito-identity'] ?? {};

/** The identity pool that `answer` is, for what the local cloud never says. */
async function scriptedPool(answer: RequestListener): Promise<Env> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return siteEnv(cloud, { AWS_ENDPOINT_URL_COGNITO_IDENTITY: `http://127.0.0.1:${port}` });
}

describe('the credentials of a session', () => {
  it('come from the identity pool once, and then from memory', async () => {
    const identity = open();
    const first = await identity.credentialsFor(alice, patient());
    const second = await identity.credentialsFor(alice, patient());
    expect(first).toMatchObject({
      cached: false,
      identityId: expect.stringMatching(/^us-east-1:[0-9a-f-]{36}$/),
    });
    expect(first.credentials.accessKeyId).toMatch(/^ASIA/);
    expect(second).toEqual({ ...first, cached: true });
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
  });

  it('are fetched once for 100 requests at the same time', async () => {
    const identity = open();
    const all = await Promise.all(
      Array.from({ length: 100 }, () => identity.credentialsFor(alice, patient())),
    );
    expect(new Set(all.map(({ credentials }) => credentials.accessKeyId)).size).toBe(1);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
  });

  // threat-model: T-034
  it('are never those of another session', async () => {
    const identity = open();
    const sessions = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? alice : bob));
    const all = await Promise.all(sessions.map((session) => identity.credentialsFor(session, patient())));
    const keysOf = (session: SignedIn) =>
      new Set(
        all.filter((_, i) => sessions[i] === session).map(({ credentials }) => credentials.accessKeyId),
      );
    expect(keysOf(alice).size).toBe(1);
    expect(keysOf(bob).size).toBe(1);
    expect(keysOf(alice)).not.toEqual(keysOf(bob));
  });

  it('are two sets for two sessions of one user, of one identity', async () => {
    const identity = open();
    const one = await identity.credentialsFor(alice, patient());
    const other = await identity.credentialsFor({ ...alice, id: 'another' }, patient());
    expect(other.identityId).toBe(one.identityId);
    expect(other.credentials.accessKeyId).not.toBe(one.credentials.accessKeyId);
  });

  it('are kept for 50 minutes and not longer', async () => {
    const identity = open({ clock: () => Date.now() + time.ahead });
    const session = await sessionAt(0);
    await identity.credentialsFor(session, patient());
    time.ahead = 50 * MINUTE - 1000;
    expect((await identity.credentialsFor(session, patient())).cached).toBe(true);
    time.ahead = 50 * MINUTE + 1000;
    expect((await identity.credentialsFor(session, patient())).cached).toBe(false);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });

  it('are given up a minute before they expire, by the clock of AWS', async () => {
    const expiresAt = Date.now() + 10 * MINUTE;
    const env = await scriptedPool(answerWith({ Expiration: expiresAt / 1000 }));
    const identity = open({ env });
    const ahead = { ...alice, tokens: { ...alice.tokens, clockDrift: 3 * MINUTE } };
    await identity.credentialsFor(ahead, patient());
    time.ahead = 6 * MINUTE - 1000;
    expect((await identity.credentialsFor(ahead, patient())).cached).toBe(true);
    time.ahead = 6 * MINUTE + 1000;
    expect((await identity.credentialsFor(ahead, patient())).cached).toBe(false);
  });

  it('survive a refreshed ID token', async () => {
    const identity = open();
    await identity.credentialsFor(alice, patient());
    const refreshed = { ...alice, tokens: { ...alice.tokens, idToken: 'another' } };
    expect((await identity.credentialsFor(refreshed, patient())).cached).toBe(true);
  });

  // threat-model: T-039
  it('are forgotten at sign-out, also while they are being fetched', async () => {
    const identity = open();
    const before = identity.credentialsFor(alice, patient());
    identity.forget(alice.id);
    await before;
    expect((await identity.credentialsFor(alice, patient())).cached).toBe(false);
    identity.forget(alice.id);
    expect((await identity.credentialsFor(alice, patient())).cached).toBe(false);
  });

  it('are dropped when they were refused, but not those that replaced them', async () => {
    const identity = open();
    const old = await identity.credentialsFor(alice, patient());
    identity.dropCredentials(alice.id, old.credentials);
    const next = await identity.credentialsFor(alice, patient());
    identity.dropCredentials(alice.id, old.credentials);
    expect(await identity.credentialsFor(alice, patient())).toEqual({ ...next, cached: true });
    expect(next.credentials.accessKeyId).not.toBe(old.credentials.accessKeyId);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });

  // threat-model: T-039
  it('are kept for a bounded number of sessions: the one idle longest goes', async () => {
    const identity = open({ maxSessions: 2 });
    const [one, two, three] = ['1', '2', '3'].map((id) => ({ ...alice, id }));
    if (!one || !two || !three) throw new TypeError();
    for (const session of [one, two, one, three]) await identity.credentialsFor(session, patient());
    expect((await identity.credentialsFor(one, patient())).cached).toBe(true);
    expect((await identity.credentialsFor(two, patient())).cached).toBe(false);
  });

  it('do not fail for all when one of those who wait leaves', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'slow', delayMs: 50 }] });
    const identity = open();
    const leaving = new AbortController();
    const [left, stayed] = [
      identity.credentialsFor(alice, leaving.signal),
      identity.credentialsFor(alice, patient()),
    ];
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect((await stayed).credentials.accessKeyId).toMatch(/^ASIA/);
    expect(calls()).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
  });

  it('ask for the login under the name that the user pool has in its partition', async () => {
    const asked: string[] = [];
    const env = await scriptedPool((request, response) => {
      request.on('data', (chunk) => asked.push(String(chunk)));
      request.on('end', () => void answerWith({})(request, response));
    });
    const userPool = { ...env.userPool, region: 'cn-north-1', id: 'cn-north-1_abc' };
    await open({ env: { ...env, userPool } }).credentialsFor(alice, patient());
    const logins = { 'cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_abc': alice.tokens.idToken };
    expect(asked.map((text) => JSON.parse(text).Logins)).toEqual([logins, logins]);
  });
});

/** Alice's session with tokens that outlive the test's journeys in time. */
async function sessionAt(ahead: number): Promise<SignedIn> {
  cloud.faults.set({ tokenSeconds: 86_400 });
  time.ahead = ahead;
  return signUp(cloud);
}

/** A pool that knows one identity, whose credentials have these fields in place of good ones. */
function answerWith(credentials: Record<string, unknown>): RequestListener {
  return (_request, response) => {
    const complete = {
      AccessKeyId: 'ASIA1',
      SecretKey: 's',
      SessionToken: 't',
      Expiration: Date.now() / 1000 + 3600,
    };
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ IdentityId: 'us-east-1:1', Credentials: { ...complete, ...credentials } }));
  };
}

describe('a fetch of credentials that fails', () => {
  it.each([
    ['a refused login', { kind: 'error', error: 'NotAuthorizedException' }, 'NotAuthorizedException', 1],
    ['throttling', { kind: 'error', error: 'TooManyRequestsException' }, 'TooManyRequestsException', 3],
    ['an internal error', { kind: 'status', status: 500 }, 'Unknown', 3],
    ['unavailability', { kind: 'status', status: 503 }, 'Unknown', 3],
    ['a page of HTML', { kind: 'html' }, 'InvalidResponse', 3],
    ['an answer that is no JSON', { kind: 'invalid-json' }, 'InvalidResponse', 1],
    ['a reset connection', { kind: 'reset' }, 'NetworkError', 3],
  ])(
    'by %s rejects with its code after as many attempts as it deserves',
    async (_what, fault, code, attempts) => {
      cloud.faults.set({ faults: [{ service: 'cognito-identity', operation: 'GetId', ...fault }] });
      const identity = open();
      await expect(identity.credentialsFor(alice, patient())).rejects.toMatchObject({
        name: 'UpstreamError',
        service: 'identity-pool',
        code,
      });
      expect(calls()).toEqual({ GetId: attempts });
    },
  );

  it('is not remembered', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'status', status: 500, times: 3 }] });
    const identity = open();
    await expect(identity.credentialsFor(alice, patient())).rejects.toThrow();
    expect((await identity.credentialsFor(alice, patient())).credentials.accessKeyId).toMatch(/^ASIA/);
  });

  it('is tried again after 200 to 300 ms and 400 to 500 ms', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'status', status: 500, times: 2 }] });
    const identity = open();
    await identity.credentialsFor(alice, patient());
    const [first = 0, second = 0, ...more] = identity.waits;
    expect(more).toEqual([]);
    expect(Math.floor(first / 100)).toBe(2);
    expect(Math.floor(second / 100)).toBe(4);
  });

  it('has an end when the pool never answers', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'hang' }] });
    const identity = open({ fetchTimeoutMs: 100 });
    await expect(identity.credentialsFor(alice, patient())).rejects.toMatchObject({ code: 'TimeoutError' });
  });

  it('is left alone after five failures in a row, and taken up again', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'reset' }] });
    const identity = open();
    for (let failure = 0; failure < 5; failure += 1) {
      await expect(identity.credentialsFor(alice, patient())).rejects.toMatchObject({ code: 'NetworkError' });
    }
    await expect(identity.credentialsFor(alice, patient())).rejects.toMatchObject({ code: 'CircuitOpen' });
    expect(calls()).toEqual({ GetId: 15 });
    cloud.faults.set({});
    time.ahead = 5001;
    expect((await identity.credentialsFor(alice, patient())).cached).toBe(false);
  });

  it.each([
    ['no key id', { AccessKeyId: undefined }],
    ['no secret', { SecretKey: undefined }],
  ])('for an answer with %s says so', async (_what, credentials) => {
    const identity = open({ env: await scriptedPool(answerWith(credentials)) });
    await expect(identity.credentialsFor(alice, patient())).rejects.toMatchObject({
      code: 'CredentialsException',
      message: 'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.',
    });
  });

  it.each([
    ['UserUnAuthenticatedException', 'Token is inactive'],
    ['UserUnAuthenticatedException', 'Invalid login token. Token expired: 1795276800 >= 1795273200'],
    ['NotAuthorizedException', 'Invalid login token. Incorrect token audience.'],
    ['NotAuthorizedException', 'Token is not from a supported provider of this identity pool.'],
  ])('is %s where the identity pool says: %s', async (code, message) => {
    const env = await scriptedPool((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ __type: 'NotAuthorizedException', message }));
    });
    await expect(open({ env }).credentialsFor(alice, patient())).rejects.toMatchObject({ code });
  });

  it('for a session without an ID token asks nobody', async () => {
    const identity = open();
    const session = { ...alice, tokens: { ...alice.tokens, idToken: null } };
    await expect(identity.credentialsFor(session, patient())).rejects.toMatchObject({
      code: 'UserUnAuthenticatedException',
      message: 'User needs to be authenticated to call this API.',
    });
    expect(calls()).toEqual({});
  });
});

describe('the guest that a visitor was', () => {
  it('becomes the user: the first credentials are asked for in its name', async () => {
    const identity = open();
    const session = await signUp(cloud);
    const guest = await identity.createGuest(patient());
    expect(identity.linkGuest(session.id, guest)).toBe(false);
    expect((await identity.credentialsFor(session, patient())).identityId).toBe(guest);
    expect(identity.linkGuest(session.id, guest)).toBe(true);
    expect((await open().credentialsFor(session, patient())).identityId).toBe(guest);
  });

  it('is another one for another visitor', async () => {
    const identity = open();
    expect(await identity.createGuest(patient())).not.toBe(await identity.createGuest(patient()));
  });

  it('is left behind when the identity pool does not know it any more', async () => {
    const identity = open();
    identity.linkGuest(bob.id, 'us-east-1:00000000-0000-4000-8000-000000000000');
    const { identityId } = await identity.credentialsFor(bob, patient());
    expect(identityId).toBe((await open().credentialsFor(bob, patient())).identityId);
    expect(identity.linkGuest(bob.id, 'us-east-1:1')).toBe(true);
  });

  it('is still linked after an attempt that failed for a while', async () => {
    const identity = open();
    const session = await signUp(cloud);
    const guest = await identity.createGuest(patient());
    identity.linkGuest(session.id, guest);
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'status', status: 500, times: 3 }] });
    await expect(identity.credentialsFor(session, patient())).rejects.toThrow();
    expect((await identity.credentialsFor(session, patient())).identityId).toBe(guest);
  });
});

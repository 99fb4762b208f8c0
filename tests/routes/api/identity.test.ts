import type { LocalCloud } from '@tenfold/local-cloud';
import { parseSetCookie } from 'cookie';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type IdentityContext, loader } from '../../../app/resources/api.identity.ts';
import { withVariableNames } from '../../../app/server/config/variable-names.ts';
import { createGuests } from '../../../app/server/identity/guest-identity.ts';
import { createIdentityPool } from '../../../packages/appsync-proxy/src/identity/identity-pool.ts';
import { createResponseCookies } from '../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { createCookieSealer } from '../../../packages/cognito-session/src/cookies/sealed-cookie.ts';
import type { Session } from '../../../packages/cognito-session/src/session/session.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
import { APP_ORIGIN, signUp, siteEnv } from '../../support/sign-in/signed-in-session.ts';

const silent = createLog('silent');
const DAY = 24 * 60 * 60 * 1000;
const clock = Date.now;

let cloud: LocalCloud;
beforeAll(async () => {
  cloud = await startLocalCloud({ onSecret: registerSecret });
});
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
});

/** A browser with a cookie jar, at a site of one process. Its fetches may come at the same time. */
function openVisitor(overrides: Record<string, string> = {}, at: LocalCloud = cloud, log = silent) {
  const env = siteEnv(at, overrides);
  const identity = createIdentityPool({
    ...env.identityPool,
    issuer: env.userPool.issuer,
    ...{ clock, log, sleep: async () => {} },
  });
  const guests = createGuests({ env, identity, clock });
  const jar = new Map<string, string>();
  let session: Session = { state: 'anonymous' };

  return {
    jar,
    signIn(as: Session) {
      session = as;
    },
    async getIdentity() {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
      const headers = { cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };
      const request = new Request(`${APP_ORIGIN}/api/identity`, { headers });
      const cookies = createResponseCookies();
      if (session.state === 'signed-in') await guests.adopt(session, request, cookies);
      const context: IdentityContext = {
        env,
        log,
        requestId: 'request-1',
        signal: new AbortController().signal,
        cookies,
        session,
        identity,
        guests,
      };
      const response = await loader({ request, context });
      const lines = cookies.lines();
      for (const { name, value = '', maxAge } of lines.map((line) => parseSetCookie(line))) {
        if (maxAge === 0) jar.delete(name);
        else jar.set(name, value);
      }
      const text = await response.text();
      expect(findSecret(text)).toBeNull();
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      return { status: response.status, body: JSON.parse(text), lines };
    },
  };
}

const identityId = expect.stringMatching(/^us-east-1:[0-9a-f-]{36}$/);

describe('GET /api/identity', () => {
  it('creates one identity for a guest and stores it in a sealed cookie', async () => {
    const { getIdentity } = openVisitor();
    const first = await getIdentity();
    expect(first).toMatchObject({ status: 200, body: { identityId, guest: true } });
    expect(first.lines).toEqual([
      expect.stringMatching(/^guest=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(first.lines.join()).not.toContain(first.body.identityId);
    const second = await getIdentity();
    expect(second).toEqual({ ...first, lines: [] });
    expect(cloud.faults.calls['cognito-identity']).toEqual({ GetId: 1 });
  });

  it('gives a browser the last of the identities that its simultaneous first requests create', async () => {
    const { getIdentity, jar } = openVisitor();
    const created = await Promise.all([getIdentity(), getIdentity()]);
    expect([...jar.keys()]).toEqual(['guest']);
    cloud.faults.forgetCalls();
    const kept = await getIdentity();
    expect(created.map(({ body }) => body)).toContainEqual(kept.body);
    expect(await getIdentity()).toEqual(kept);
    expect(cloud.faults.calls['cognito-identity']).toBeUndefined();
  });

  // threat-model: T-034
  it('never gives simultaneous first requests of two browsers one identity', async () => {
    const [one, other] = [openVisitor(), openVisitor()];
    const answers = await Promise.all([one.getIdentity(), other.getIdentity()]);
    expect(new Set(answers.map(({ body }) => body.identityId)).size).toBe(2);
  });

  it('links the guest identity to the user at sign-in and deletes the cookie', async () => {
    const visitor = openVisitor();
    const guest = await visitor.getIdentity();
    visitor.signIn(await signUp(cloud));
    const signedIn = await visitor.getIdentity();
    expect(signedIn.body).toEqual({ identityId: guest.body.identityId, guest: false });
    expect((await visitor.getIdentity()).lines).toEqual([expect.stringMatching(/^guest=; Max-Age=0;/)]);
    expect(visitor.jar.size).toBe(0);
    expect((await visitor.getIdentity()).body).toEqual(signedIn.body);
    visitor.signIn({ state: 'anonymous' });
    expect((await visitor.getIdentity()).body.identityId).not.toBe(guest.body.identityId);
  });

  // threat-model: T-008
  it('ignores a value that is not sealed, or that was sealed for another cookie', async () => {
    const id = 'us-east-1:00000000-0000-4000-8000-000000000000';
    const [secret] = siteEnv(cloud).session.secrets;
    const sealed = await createCookieSealer({ secrets: [secret], namespace: 'tenfold' }, 'session').seal(
      Buffer.from(id),
      clock() + DAY,
    );
    for (const value of [id, sealed]) {
      const visitor = openVisitor();
      visitor.jar.set('guest', value);
      const { body, lines } = await visitor.getIdentity();
      expect(body).toMatchObject({ identityId, guest: true });
      expect(body.identityId).not.toBe(id);
      expect(lines).toHaveLength(1);
    }
  });

  it('deletes an unreadable guest cookie of a signed-in visitor', async () => {
    const visitor = openVisitor();
    visitor.jar.set('guest', 'rubbish');
    visitor.signIn(await signUp(cloud));
    expect((await visitor.getIdentity()).body).toMatchObject({ guest: false });
    expect(visitor.jar.size).toBe(0);
  });

  it('rejects guests with 403 when they are not allowed, without a call of the identity pool', async () => {
    const { status, body, lines } = await openVisitor({ COGNITO_ALLOW_GUESTS: 'false' }).getIdentity();
    expect(status).toBe(403);
    expect(body).toEqual({
      status: 403,
      detail: 'User needs to be authenticated to call this API.',
      code: 'GuestsNotAllowed',
      requestId: 'request-1',
    });
    expect(lines).toEqual([]);
    expect(cloud.faults.calls['cognito-identity']).toBeUndefined();
  });

  it('returns the same response, and logs what to do, if the identity pool has no guests', async () => {
    const closed = await startLocalCloud({ allowGuests: false });
    const lines: string[] = [];
    try {
      const visitor = openVisitor(
        { COGNITO_ALLOW_GUESTS: 'true' },
        closed,
        withVariableNames(createLog('info', { write: (line) => lines.push(line) })),
      );
      const { status, body } = await visitor.getIdentity();
      expect([status, body.code]).toEqual([403, 'GuestsNotAllowed']);
    } finally {
      await closed.close();
    }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'configuration error: the identity pool has no guests',
        fix: 'Set COGNITO_ALLOW_GUESTS=false, or enable guest access in the identity pool.',
      }),
    ]);
  });

  it('returns an error and sets no cookie when the identity pool fails, and works afterwards', async () => {
    cloud.faults.set({ faults: [{ service: 'cognito-identity', kind: 'status', status: 503, times: 3 }] });
    const { getIdentity } = openVisitor();
    const failed = await getIdentity();
    expect(failed).toMatchObject({ status: 503, lines: [] });
    expect(failed.body).toEqual({
      status: 503,
      detail: 'An unknown error has occurred.',
      code: 'Unknown',
      requestId: 'request-1',
    });
    expect(await getIdentity()).toMatchObject({ status: 200, body: { guest: true } });
  });
});

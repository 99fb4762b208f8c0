import { parseSetCookie } from 'cookie';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type IdentityContext, loader } from '../../../app/resources/api.identity.ts';
import { createResponseCookies } from '../../../app/server/cookies/cookie-jar.ts';
import { createCookieSealer } from '../../../app/server/cookies/sealed-cookie.ts';
import { createGuests } from '../../../app/server/identity/guest-identity.ts';
import { createIdentity } from '../../../app/server/identity/identity.ts';
import { createLog } from '../../../app/server/observability/log.ts';
import type { Session } from '../../../app/server/session/session.ts';
import { type LocalCloud, startLocalCloud } from '../../../packages/local-cloud/start.ts';
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
  const identity = createIdentity({ env, clock, log, sleep: async () => {} });
  const guests = createGuests({ env, identity, clock });
  const jar = new Map<string, string>();
  let session: Session = { state: 'anonymous' };

  return {
    jar,
    signIn(as: Session) {
      session = as;
    },
    async getIdentity(
      headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
      path = '/api/identity',
    ) {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
      const request = new Request(APP_ORIGIN + path, { headers: { cookie, ...headers } });
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
      const location = response.headers.get('location');
      return { status: response.status, body: text && JSON.parse(text), lines, location };
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

  const fetchHeaders = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };

  it('gives simultaneous first fetches of a browser one identity', async () => {
    const { getIdentity, jar } = openVisitor();
    const first = await Promise.all([1, 2, 3].map(() => getIdentity(fetchHeaders)));
    expect(first.map(({ status }) => status)).toEqual([307, 307, 307]);
    expect(jar.size).toBe(3);
    const answers = await Promise.all(first.map(({ location }) => getIdentity(fetchHeaders, location ?? '')));
    expect(new Set(answers.map(({ body }) => body.identityId)).size).toBe(1);
    expect(cloud.faults.calls['cognito-identity']).toEqual({ GetId: 1 });
    expect([...jar.keys()]).toEqual(['guest']);
    expect((await getIdentity(fetchHeaders)).body).toEqual(answers[0]?.body);
  });

  // threat-model: T-034
  it('never gives simultaneous fetches of two browsers one identity', async () => {
    const { getIdentity, jar } = openVisitor();
    const one = await getIdentity(fetchHeaders);
    const cookiesOfOne = [...jar];
    jar.clear();
    const other = await getIdentity(fetchHeaders);
    const otherAnswer = getIdentity(fetchHeaders, other.location ?? '');
    jar.clear();
    for (const [name, value] of cookiesOfOne) jar.set(name, value);
    const answers = await Promise.all([getIdentity(fetchHeaders, one.location ?? ''), otherAnswer]);
    expect(new Set(answers.map(({ body }) => body.identityId)).size).toBe(2);
  });

  it('redirects a browser that stores no cookies only once', async () => {
    const { getIdentity, jar } = openVisitor();
    const { location } = await getIdentity(fetchHeaders);
    jar.clear();
    expect(await getIdentity(fetchHeaders, location ?? '')).toMatchObject({
      status: 200,
      body: { guest: true },
    });
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
    const sealed = await createCookieSealer([secret], 'session').seal(Buffer.from(id), clock() + DAY);
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
      data: null,
      errors: [
        { errorType: 'GuestsNotAllowed', message: 'User needs to be authenticated to call this API.' },
      ],
      extensions: { requestId: 'request-1' },
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
        createLog('info', { write: (line) => lines.push(line) }),
      );
      const { status, body } = await visitor.getIdentity();
      expect([status, body.errors[0].errorType]).toEqual([403, 'GuestsNotAllowed']);
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
    const { location } = await getIdentity(fetchHeaders);
    const repeat = () => getIdentity(fetchHeaders, location ?? '');
    const failed = await repeat();
    expect(failed).toMatchObject({ status: 503, lines: [] });
    expect(failed.body).toEqual({
      data: null,
      errors: [{ errorType: 'Unknown', message: 'An unknown error has occurred.' }],
      extensions: { requestId: 'request-1' },
    });
    expect(await repeat()).toMatchObject({ status: 200, body: { guest: true } });
  });
});

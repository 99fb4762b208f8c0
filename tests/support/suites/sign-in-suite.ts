/** Sign-in attempts, cookies and redirects of any app with the session library, over HTTP. */
import type { Agent } from 'node:http';
import type { LocalCloud } from '@tenfold/local-cloud';
import { parseSetCookie } from 'cookie';
import { beforeAll, describe, expect, it } from 'vitest';
import { redirectAddress } from '../fuzzing/redirect-addresses.ts';
import { findWrongTarget } from '../fuzzing/redirect-search.ts';
import { createSeededRandom } from '../fuzzing/seeded-random.ts';
import { formSubmission } from '../http/site-requests.ts';
import { createHostedLoginVisitor, PASSWORD } from '../sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteResponse, type SiteVisitor } from '../sign-in/site-visitor.ts';

/** A running app. Its members are available once the tests run. */
export type SignInApp = {
  readonly origin: string;
  readonly cloud: LocalCloud;
  readonly agent: Agent;
  /** Why a callback failed, as the app tells the visitor. */
  reasonOf(response: SiteResponse, visitor: SiteVisitor): string | null;
};

const ADDRESSES = 300;
const RETURNS = 40;
const account = { email: 'suite@example.com', password: PASSWORD };

const isAttempt = (name: string) => /^oauth\./.test(name);
const attemptsOf = ({ cookies }: SiteVisitor) => [...cookies.cookies.keys()].filter(isAttempt);

/** Defines the tests. `page` is a path of the app, to which visitors return. */
export function testSignIn(app: SignInApp, page: string): void {
  const visit = () => createSiteVisitor(app.origin, app.agent);
  const begin = async (visitor: SiteVisitor, returnTo = page) => {
    const query = new URLSearchParams({ returnTo });
    return (await visitor.request(`/auth/sign-in?${query}`)).headers.location ?? '';
  };
  const login = (begun: string) => createHostedLoginVisitor(app.cloud).signIn(begun, account);
  const finish = (visitor: SiteVisitor, { pathname, search }: URL) => visitor.request(pathname + search);

  beforeAll(() => visit().signUp(app.cloud, account));

  describe('a sign-in attempt', () => {
    it.each<[string, (params: URLSearchParams) => void, string]>([
      ['with two states', (params) => params.append('state', 'x'), 'invalid-callback'],
      ['of another issuer', (params) => params.set('iss', 'https://evil.example'), 'invalid-callback'],
      ['with an unknown state', (params) => params.set('state', 'x'.repeat(43)), 'expired'],
      ['with a made-up code', (params) => params.set('code', '<b>'), 'unavailable'],
      [
        'that the visitor has canceled',
        (params) => {
          params.delete('code');
          params.set('error', 'access_denied');
          params.set('error_description', '<img src=x>');
        },
        'cancelled',
      ],
    ])('%s starts no session, and the visitor learns why', async (_name, change, reason) => {
      const visitor = visit();
      const url = await login(await begin(visitor));
      change(url.searchParams);
      const response = await finish(visitor, url);
      expect(app.reasonOf(response, visitor)).toBe(reason);
      expect(response.body).not.toContain('<img');
      expect(await visitor.isSignedIn()).toBe(false);
    });

    it('of another browser is refused, and its code is not redeemed', async () => {
      const [attacker, victim] = [visit(), visit()];
      const url = await login(await begin(attacker));
      await begin(victim);
      app.cloud.faults.forgetCalls();
      expect(app.reasonOf(await finish(victim, url), victim)).toBe('expired');
      expect(await victim.isSignedIn()).toBe(false);
      expect(app.cloud.faults.calls.token).toBeUndefined();
    });

    it('does not redeem the code of another attempt', async () => {
      const [attacker, victim] = [visit(), visit()];
      const stolen = await login(await begin(attacker));
      const url = await login(await begin(victim));
      url.searchParams.set('code', stolen.searchParams.get('code') ?? '');
      await finish(victim, url);
      expect(await victim.isSignedIn()).toBe(false);
    });

    it('is in a cookie that cannot be changed or renamed', async () => {
      const [visitor, elsewhere] = [visit(), visit()];
      const url = await login(await begin(visitor));
      await begin(elsewhere);
      const [name = ''] = attemptsOf(visitor);
      const own = visitor.cookies.cookies.get(name) ?? '';
      const [renamed = ''] = elsewhere.cookies.cookies.values();
      for (const value of [renamed, own.slice(0, -1) + (own.endsWith('A') ? 'Q' : 'A'), '']) {
        const forged = visit();
        forged.cookies.cookies.set(name, value);
        expect(app.reasonOf(await finish(forged, url), forged)).toBe('expired');
      }
      expect((await finish(visitor, url)).headers.location).toBe(page);
      expect(attemptsOf(visitor)).toEqual([]);
    });

    it('does not end when the visitor signs in from another tab, nor the session when the callback is reloaded', async () => {
      const visitor = visit();
      const [first, second] = [await begin(visitor), await begin(visitor, '/')];
      const url = await login(second);
      expect((await finish(visitor, url)).headers.location).toBe('/');
      expect((await finish(visitor, url)).headers.location).toBe('/');
      expect(await visitor.isSignedIn()).toBe(true);
      expect((await finish(visitor, await login(first))).headers.location).toBe(page);
    });
  });

  describe('the cookies of a sign-in', () => {
    it('are limited to the host, hidden from scripts, set once, at most 4096 bytes long, and deleted as they were set', async () => {
      const visitor = visit();
      const responses = [await visitor.request(`/auth/sign-in?returnTo=${page}`)];
      const url = await login(responses[0]?.headers.location ?? '');
      responses.push(await finish(visitor, url));
      responses.push(await visitor.request('/auth/sign-out', formSubmission({})));
      const deleted: string[] = [];
      for (const { headers } of responses) {
        const lines = (headers['set-cookie'] ?? []).filter((line) => /^(?:session|oauth)\b/.test(line));
        const cookies = lines.map((line) => parseSetCookie(line));
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
        for (const cookie of cookies) {
          expect(cookie).toMatchObject({ path: '/', sameSite: 'lax', httpOnly: true });
          expect(cookie.domain).toBeUndefined();
          if (cookie.maxAge === 0) deleted.push(cookie.name);
        }
        expect(new Set(cookies.map(({ name }) => name)).size).toBe(cookies.length);
        expect(headers['cache-control']).toContain('no-store');
      }
      expect(deleted.map((name) => name.replace(/\..*/, ''))).toEqual(['oauth', 'session', 'session']);
    });
  });

  describe('no return address leads off the app', () => {
    const problemOf = (target = '') => findWrongTarget(target, {}, { site: app, cloud: app.cloud });

    it('for a visitor who is signed in', async () => {
      const visitor = visit();
      await finish(visitor, await login(await begin(visitor)));
      const away: string[] = [];
      for (let index = 0; index < ADDRESSES; index++) {
        const address = redirectAddress(createSeededRandom(index, index));
        const target = await begin(visitor, address);
        const problem = problemOf(target);
        if (problem !== null) away.push(`${JSON.stringify(address)} ${problem}: ${target}`);
      }
      expect(away).toEqual([]);
    });

    it('after the hosted login', async () => {
      const hostedLogin = createHostedLoginVisitor(app.cloud);
      await hostedLogin.signIn(await begin(visit()), account);
      const away: string[] = [];
      for (let index = 0; index < RETURNS; index++) {
        const address = redirectAddress(createSeededRandom(index, index));
        const visitor = visit();
        const { url } = await hostedLogin.open(await begin(visitor, address));
        const { headers } = await finish(visitor, url);
        const problem = problemOf(headers.location);
        if (problem !== null) away.push(`${JSON.stringify(address)} ${problem}: ${headers.location}`);
      }
      expect(away).toEqual([]);
    });
  });
}

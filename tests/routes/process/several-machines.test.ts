import { Agent } from 'node:http';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { formSubmission } from '../../support/http/site-requests.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { type Fleet, startFleet } from '../../support/processes/fleet.ts';
import { machineHeader } from '../../support/processes/load-balancer.ts';
import { type RedisServer, redisProgram, startRedis } from '../../support/processes/redis.ts';
import type { Site } from '../../support/processes/site.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import {
  createSiteVisitor,
  type SiteResponse,
  type SiteVisitor,
  signUpVisitor,
} from '../../support/sign-in/site-visitor.ts';

const MACHINES = 4;

describe.skipIf(redisProgram === null /* the store needs Redis */)(
  'four machines with a shared store',
  () => {
    let cloud: LocalCloud;
    let redis: RedisServer;
    let fleet: Fleet;
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });

    beforeAll(async () => {
      [cloud, redis] = await Promise.all([startLocalCloud({ onSecret: registerSecret }), startRedis()]);
      const environment = () => ({ REDIS_URL: redis.url, RATE_LIMIT_SCALE: '10' });
      fleet = await startFleet(cloud, { size: MACHINES, environment });
      await waitUntilLogged('shared store connected', 1);
    });
    beforeEach(() => cloud.faults.set({}));
    afterAll(async () => {
      await fleet?.stop();
      await redis?.kill();
      await cloud?.close();
    });

    const refreshCount = () => cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;

    /** Resolves when every machine has logged the message this many times. */
    async function waitUntilLogged(message: string, times: number): Promise<void> {
      const logged = ({ output }: Site) => output().split(`"msg":"${message}"`).length - 1;
      await vi.waitFor(() => expect(fleet.sites.map(logged)).toEqual(fleet.sites.map(() => times)), {
        timeout: 60_000,
      });
    }

    /** Signs a visitor up with tokens that are due for a refresh at once: they expire within five seconds. */
    async function signUpWithExpiringTokens(name: string): Promise<SiteVisitor> {
      cloud.faults.set({ tokenSeconds: 4 });
      const visitor = await signUpVisitor({ site: fleet, cloud }, agent, `${name}@example.com`);
      cloud.faults.set({});
      cloud.faults.forgetCalls();
      return visitor;
    }

    /** Sends a thousand concurrent requests with the same cookies and returns how many of them are signed in. */
    async function sendThousandRequests(visitor: SiteVisitor): Promise<number> {
      const signedIn = await Promise.all(Array.from({ length: 1000 }, () => visitor.copy().isSignedIn()));
      return signedIn.filter(Boolean).length;
    }

    // threat-model: T-033
    it('refresh a session once for a thousand concurrent requests', async () => {
      const visitor = await signUpWithExpiringTokens('once');
      expect(await sendThousandRequests(visitor)).toBe(1000);
      expect(refreshCount()).toBe(1);
    });

    it('all respond with the new tokens, also the machines that did not refresh', async () => {
      const visitor = await signUpWithExpiringTokens('each');
      for (let machine = 0; machine < MACHINES; machine++) {
        const copy = visitor.copy();
        expect(await copy.isSignedIn(machineHeader(machine))).toBe(true);
        expect(copy.cookies.cookies, `machine ${machine}`).not.toEqual(visitor.cookies.cookies);
      }
      expect(refreshCount()).toBe(1);
    });

    // threat-model: T-015
    it('reject a session after a sign-out on one of them', async () => {
      const visitor = await signUpVisitor({ site: fleet, cloud }, agent, 'leaving@example.com');
      const copied = visitor.copy();
      expect(
        (await visitor.request('/auth/sign-out', { method: 'POST', headers: machineHeader(0) })).status,
      ).toBe(303);
      for (let machine = 0; machine < MACHINES; machine++) {
        expect(await copied.copy().isSignedIn(machineHeader(machine)), `machine ${machine}`).toBe(false);
      }
    });

    /** Begins a sign-in at the first machine, which is told this address. Returns the headers for the callback. */
    async function begin(address: string) {
      const visitor = createSiteVisitor(fleet.sites[0]?.origin ?? '', agent);
      const headers = { host: new URL(fleet.origin).host, 'x-forwarded-for': address };
      const { location = '' } = (await visitor.request('/auth/sign-in', { headers })).headers;
      return { visitor, headers, location, state: new URL(location).searchParams.get('state') };
    }

    const signUpAt = async (location: string, name: string) => {
      const credentials = { email: `${name}@example.com`, password: PASSWORD };
      const { pathname, search } = await createHostedLoginVisitor(cloud).signUp(location, credentials);
      return pathname + search;
    };

    // threat-model: T-020
    it('redeem a code once whose callback reaches two of them, and start the same session', async () => {
      const visitor = createSiteVisitor(fleet.origin, agent);
      const { location = '' } = (await visitor.request('/auth/sign-in')).headers;
      const callback = await signUpAt(location, 'twice');
      cloud.faults.forgetCalls();
      const copies = [visitor.copy(), visitor.copy()];
      const visits = copies.map((copy, machine) =>
        copy.request(callback, { headers: machineHeader(machine) }),
      );
      expect((await Promise.all(visits)).map(({ status }) => status)).toEqual([302, 302]);
      for (const copy of copies) expect(await copy.isSignedIn()).toBe(true);
      expect(cloud.faults.calls.token).toEqual({ authorization_code: 1 });
    });

    // threat-model: T-119
    it('sign a visitor in while another address sends made-up codes', async () => {
      const honest = await begin('192.0.2.1');
      const callback = await signUpAt(honest.location, 'honest');
      const attempts = await Promise.all(Array.from({ length: 90 }, () => begin('198.51.100.1')));
      cloud.faults.set({ faults: [{ service: 'token', kind: 'slow', delayMs: 1500 }] });
      cloud.faults.forgetCalls();
      const calls = () => cloud.faults.calls.token?.authorization_code ?? 0;
      const flood = attempts.map(({ visitor, headers, state }) =>
        visitor.request(`/auth/callback?code=made-up&state=${state}`, { headers }),
      );
      await expect.poll(calls).toBeGreaterThanOrEqual(25);
      await honest.visitor.request(callback, { headers: honest.headers });
      expect(await honest.visitor.isSignedIn(honest.headers)).toBe(true);
      expect(calls(), 'most of them still wait').toBeLessThan(70);
      await Promise.all(flood);
    });

    it('share a rate limit and respond with Retry-After', async () => {
      const startedAt = performance.now();
      const visitor = createSiteVisitor(fleet.origin, agent);
      const form = formSubmission({ theme: 'dark' });
      // Ten at a time: a busy process that does not hear from the store in time applies its own limit.
      const sendTen = () =>
        Promise.all(Array.from({ length: 10 }, () => visitor.copy().request('/preferences', form)));
      const responses: SiteResponse[] = [];
      while (responses.length < 800) responses.push(...(await sendTen()));
      const rejected = responses.filter(({ status }) => status === 429);
      const refilled = ((performance.now() - startedAt) / 1000) * 10 + 1;
      expect(responses.length - rejected.length).toBeGreaterThanOrEqual(600);
      expect(responses.length - rejected.length).toBeLessThanOrEqual(600 + refilled + MACHINES * 5);
      expect(rejected[0]?.headers['retry-after']).toBe('1');
      expect(rejected[0]?.body).toContain('429');
    });

    it('work without the store while it is unavailable, end no session, and share it again afterwards', async () => {
      const during = await signUpWithExpiringTokens('during');
      cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: 1000 }] });
      const requests = sendThousandRequests(during);
      await expect.poll(refreshCount).toBe(1);
      await redis.kill();
      expect(await requests).toBe(1000);
      expect(refreshCount()).toBeLessThanOrEqual(MACHINES);

      const without = await signUpWithExpiringTokens('without');
      expect(await sendThousandRequests(without)).toBe(1000);
      expect(refreshCount()).toBeLessThanOrEqual(MACHINES);
      await waitUntilLogged('shared store unreachable: using the in-memory store', 1);

      await redis.restart();
      await waitUntilLogged('shared store reconnected', 1);
      const after = await signUpWithExpiringTokens('after');
      expect(await sendThousandRequests(after)).toBe(1000);
      expect(refreshCount()).toBe(1);
    });

    it('log neither secrets nor the address of the store', () => {
      const output = fleet.sites.map((site) => site.output()).join('');
      expect(findSecret(output)).toBeNull();
      expect(output).not.toContain(new URL(redis.url).host);
    });
  },
);

import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../packages/local-cloud/start.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { type Fleet, startFleet } from '../../support/processes/fleet.ts';
import { machineHeader } from '../../support/processes/load-balancer.ts';
import { type RedisServer, redisProgram, startRedis } from '../../support/processes/redis.ts';
import type { Site } from '../../support/processes/site.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
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
      fleet = await startFleet(cloud, { size: MACHINES, environment: () => ({ REDIS_URL: redis.url }) });
      await waitUntilLogged('shared store connected', 1);
    }, 60_000);
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
        timeout: 20_000,
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
    }, 60_000);

    it('all respond with the new tokens, also the machines that did not refresh', async () => {
      const visitor = await signUpWithExpiringTokens('each');
      for (let machine = 0; machine < MACHINES; machine++) {
        const copy = visitor.copy();
        expect(await copy.isSignedIn(machineHeader(machine))).toBe(true);
        expect(copy.cookies.cookies, `machine ${machine}`).not.toEqual(visitor.cookies.cookies);
      }
      expect(refreshCount()).toBe(1);
    }, 60_000);

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
      const refilled = ((performance.now() - startedAt) / 1000) * 5 + 1;
      expect(responses.length - rejected.length).toBeGreaterThanOrEqual(600);
      expect(responses.length - rejected.length).toBeLessThanOrEqual(600 + refilled);
      expect(rejected[0]?.headers['retry-after']).toBe('1');
      expect(rejected[0]?.body).toContain('429');
    }, 60_000);

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
    }, 120_000);

    it('log neither secrets nor the address of the store', () => {
      const output = fleet.sites.map((site) => site.output()).join('');
      expect(findSecret(output)).toBeNull();
      expect(output).not.toContain(new URL(redis.url).host);
    });
  },
);

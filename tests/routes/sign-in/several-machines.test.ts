import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { type Fleet, startFleet } from '../../support/processes/fleet.ts';
import { machineHeader } from '../../support/processes/load-balancer.ts';
import { type RedisServer, redisProgram, startRedis } from '../../support/processes/redis.ts';
import type { Site } from '../../support/processes/site.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
import {
  createSiteVisitor,
  type SiteResponse,
  type SiteVisitor,
} from '../../support/sign-in/site-visitor.ts';

const MACHINES = 4;

describe.skipIf(redisProgram === null /* no store to share */)('four machines that share a store', () => {
  let cloud: LocalCloud;
  let redis: RedisServer;
  let fleet: Fleet;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });

  beforeAll(async () => {
    [cloud, redis] = await Promise.all([startLocalCloud({ onSecret: registerSecret }), startRedis()]);
    fleet = await startFleet(cloud, { size: MACHINES, environment: () => ({ REDIS_URL: redis.url }) });
    await untilLogged('shared store connected', 1);
  }, 60_000);
  beforeEach(() => cloud.faults.set({}));
  afterAll(async () => {
    await fleet?.stop();
    await redis?.kill();
    await cloud?.close();
  });

  const refreshes = () => cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;

  /** Resolves when every machine has logged the message that many times. */
  async function untilLogged(message: string, times: number): Promise<void> {
    const logged = ({ output }: Site) => output().split(`"msg":"${message}"`).length - 1;
    await vi.waitFor(() => expect(fleet.sites.map(logged)).toEqual(fleet.sites.map(() => times)), {
      timeout: 20_000,
    });
  }

  /** A visitor whose tokens live for less than the five seconds that they are refreshed ahead. */
  async function dueVisitor(name: string): Promise<SiteVisitor> {
    const visitor = createSiteVisitor(fleet.origin, agent);
    cloud.faults.set({ tokenSeconds: 4 });
    await visitor.signUp(cloud, { email: `${name}@example.com`, password: 'Correct-Horse-7' });
    cloud.faults.set({});
    cloud.faults.forgetCalls();
    return visitor;
  }

  /** A thousand requests at once, each from a copy of the same browser; how many of them were signed in. */
  async function race(visitor: SiteVisitor): Promise<number> {
    const answers = await Promise.all(Array.from({ length: 1000 }, () => visitor.copy().isSignedIn()));
    return answers.filter(Boolean).length;
  }

  // threat-model: T-033
  it('refresh a session once for a thousand requests', async () => {
    const visitor = await dueVisitor('once');
    expect(await race(visitor)).toBe(1000);
    expect(refreshes()).toBe(1);
  }, 60_000);

  it('answer each with the new tokens, also the machine that did not refresh', async () => {
    const visitor = await dueVisitor('each');
    for (let machine = 0; machine < MACHINES; machine++) {
      const copy = visitor.copy();
      expect(await copy.isSignedIn(machineHeader(machine))).toBe(true);
      expect(copy.cookies.cookies, `machine ${machine}`).not.toEqual(visitor.cookies.cookies);
    }
    expect(refreshes()).toBe(1);
  }, 60_000);

  // threat-model: T-015
  it('know of a sign-out that one of them answered', async () => {
    const visitor = createSiteVisitor(fleet.origin, agent);
    await visitor.signUp(cloud, { email: 'leaving@example.com', password: 'Correct-Horse-7' });
    const copied = visitor.copy();
    expect(
      (await visitor.request('/auth/sign-out', { method: 'POST', headers: machineHeader(0) })).status,
    ).toBe(303);
    for (let machine = 0; machine < MACHINES; machine++) {
      expect(await copied.copy().isSignedIn(machineHeader(machine)), `machine ${machine}`).toBe(false);
    }
  }, 30_000);

  it('share a rate limit, and say when to come back', async () => {
    const startedAt = performance.now();
    const visitor = createSiteVisitor(fleet.origin, agent);
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'theme=dark',
    };
    // Fifty at a time: a process that is too busy to hear from the store in time counts by itself.
    const ask = () =>
      Promise.all(Array.from({ length: 50 }, () => visitor.copy().request('/preferences', form)));
    const answers: SiteResponse[] = [];
    while (answers.length < 800) answers.push(...(await ask()));
    const refused = answers.filter(({ status }) => status === 429);
    const refilled = ((performance.now() - startedAt) / 1000) * 5 + 1;
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(600);
    expect(answers.length - refused.length).toBeLessThanOrEqual(600 + refilled);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(refused[0]?.body).toContain('429');
  }, 60_000);

  it('go on by themselves when the store is lost, sign nobody out, and share again when it is back', async () => {
    const during = await dueVisitor('during');
    cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'slow', delayMs: 1000 }] });
    const racing = race(during);
    await expect.poll(refreshes, { timeout: 10_000 }).toBe(1);
    await redis.kill();
    expect(await racing).toBe(1000);
    expect(refreshes()).toBeLessThanOrEqual(MACHINES);

    const without = await dueVisitor('without');
    expect(await race(without)).toBe(1000);
    expect(refreshes()).toBeLessThanOrEqual(MACHINES);
    await untilLogged('shared store unreachable: using the in-memory store', 1);

    await redis.restart();
    await untilLogged('shared store reconnected', 1);
    const after = await dueVisitor('after');
    expect(await race(after)).toBe(1000);
    expect(refreshes()).toBe(1);
  }, 120_000);

  it('write no secret into their logs, nor where the store is', () => {
    const output = fleet.sites.map((site) => site.output()).join('');
    expect(findSecret(output)).toBeNull();
    expect(output).not.toContain(new URL(redis.url).host);
  });
});

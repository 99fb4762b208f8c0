/** `npm run sessions`: an operator ends sessions on all machines. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { type Fleet, startFleet } from '../../support/processes/fleet.ts';
import { machineHeader } from '../../support/processes/load-balancer.ts';
import {
  composeStoreOptions,
  type RedisServer,
  redisProgram,
  startRedis,
} from '../../support/processes/redis.ts';
import { freePort } from '../../support/processes/site.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
import { bundleCommand } from '../../support/setup/bundled-command.ts';
import { createSiteVisitor, type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath } from '../../support/this-site.ts';

const MACHINES = 2;
const SOURCE = 'tools/sessions.ts';
const SECRETS = 'k7Qe2vXw9RbT4mZc1NpLs8HdYg3JfUa6';
const SOMEONE = '11111111-2222-3333-4444-555555555555';

type Outcome = { code: number; output: string };

/**
 * Runs `npm run sessions`: its bundle, or the TypeScript source with tsx, as npm does. Nothing that it prints is a secret.
 */
async function run(
  args: readonly string[],
  environment: Record<string, string>,
  { fromSource = false } = {},
): Promise<Outcome> {
  const env = { NODE_ENV: 'production' as const, PATH: process.env.PATH, ...environment };
  const start = fromSource
    ? ['--conditions=@tenfold/source', '--import', 'tsx', '--', SOURCE]
    : ['--', await bundleCommand(SOURCE)];
  const outcome = await promisify(execFile)(process.execPath, [...start, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: String(stdout) + String(stderr) }),
  );
  expect(findSecret(outcome.output)).toBeNull();
  return outcome;
}

let cloud: LocalCloud;

beforeAll(async () => {
  registerSecret('session secret', SECRETS);
  cloud = await startLocalCloud({ onSecret: registerSecret });
});
afterAll(() => cloud?.close());

const siteEnvironment = () => ({
  ...cloud.environment(),
  APP_ORIGIN: 'https://site.example',
  SESSION_SECRETS: SECRETS,
});

describe.skipIf(redisProgram === null /* the store needs Redis */)('two machines with a shared store', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    redis = await startRedis();
    fleet = await startFleet(cloud, { size: MACHINES, environment: () => ({ REDIS_URL: redis.url }) });
    await vi.waitFor(
      () => {
        for (const site of fleet.sites) expect(site.output()).toContain('shared store connected');
      },
      { timeout: 60_000 },
    );
  });
  afterAll(async () => {
    agent.destroy();
    await fleet?.stop();
    await redis?.kill();
  });

  const end = (...args: string[]) => run(args, { ...siteEnvironment(), REDIS_URL: redis.url });

  /** On each machine, whether the visitor is signed in there. */
  const states = (visitor: SiteVisitor) =>
    Promise.all(
      Array.from({ length: MACHINES }, (_, machine) => visitor.copy().isSignedIn(machineHeader(machine))),
    );

  /** The user's id, from the ID token that the hosted login issued. */
  async function signUp(name: string): Promise<{ visitor: SiteVisitor; sub: string }> {
    const email = `${name}@example.com`;
    const visitor = await signUpVisitor({ site: fleet, cloud }, agent, email);
    const sub = cloud.users.find(email)?.sub ?? '';
    expect(await states(visitor)).toEqual([true, true]);
    return { visitor, sub };
  }

  // threat-model: T-076
  it('end all sessions of one user, and of no other', async () => {
    const { visitor: ada, sub } = await signUp('ada');
    const { visitor: ben } = await signUp('ben');
    const { code, output } = await end('end', sub);
    expect([code, output]).toEqual([0, expect.stringContaining(`Sessions of ${sub} that started before`)]);
    expect(output).toContain('WARNING: the store does not keep its data.');
    expect(output).toMatch(new RegExp(`admin-user-global-sign-out .* --username ${sub}\n`));
    await expect.poll(() => states(ada)).toEqual([false, false]);
    expect(await states(ben)).toEqual([true, true]);
  });

  // threat-model: T-076
  it('delete the cookie of an ended session, show that it has ended, and allow a new sign-in', async () => {
    const { visitor, sub } = await signUp('clara');
    await end('end', sub);
    await expect.poll(() => states(visitor)).toEqual([false, false]);
    const copied = visitor.copy();
    const { body, headers } = await visitor.request(examplePath());
    expect(body).toContain('Your session has ended');
    expect(headers['set-cookie']?.join()).toContain('session');
    const signIn = await visitor.request('/auth/sign-in');
    expect(signIn.headers.location).toContain('/oauth2/authorize');
    const again = await signUpVisitor({ site: fleet, cloud }, agent, 'dora@example.com');
    expect(await states(again)).toEqual([true, true]);
    expect(await states(copied), 'a copied cookie').toEqual([false, false]);
  });

  // threat-model: T-076
  it('end the sessions of all users', async () => {
    const [{ visitor: eva }, { visitor: fred }] = [await signUp('eva'), await signUp('fred')];
    const { code, output } = await end('end-all');
    expect([code, output]).toEqual([0, expect.stringContaining('Sessions of all users')]);
    for (const visitor of [eva, fred]) {
      await expect.poll(() => states(visitor)).toEqual([false, false]);
    }
    const later = await signUpVisitor({ site: fleet, cloud }, agent, 'gina@example.com');
    expect(await states(later)).toEqual([true, true]);
  });

  it('read the environment from a file', async () => {
    const file = join('test-results', `sessions-${process.pid}.env`);
    const variables = { ...siteEnvironment(), REDIS_URL: redis.url };
    const lines = Object.entries(variables).map((pair) => pair.join('='));
    writeFileSync(file, lines.join('\n'));
    const { code } = await run(['end', SOMEONE, '--env-file', file], {}, { fromSource: true });
    expect(code).toBe(0);
  });

  // threat-model: T-076
  it('keep sessions ended while the store is unreachable, and end no others', async () => {
    const { visitor: hanna, sub } = await signUp('hanna');
    const { visitor: ines } = await signUp('ines');
    await end('end', sub);
    await expect.poll(() => states(hanna)).toEqual([false, false]);
    await redis.kill();
    expect([await states(hanna), await states(ines)]).toEqual([
      [false, false],
      [true, true],
    ]);
    const { code, output } = await end('end', SOMEONE);
    expect(code).toBe(1);
    expect(output).toContain('The shared store does not respond');
    expect(output).not.toContain(new URL(redis.url).host);
    await redis.restart();
    const { visitor: jana, sub: janasSub } = await signUp('jana');
    await expect.poll(async () => (await end('end', janasSub)).code).toBe(0);
    await expect.poll(() => states(jana)).toEqual([false, false]);
    expect(await states(hanna), 'although the store has lost its data').toEqual([false, false]);
  });
});

describe.skipIf(redisProgram === null /* the store needs Redis */)(
  'a site with the store of deploy/compose.yaml',
  () => {
    // threat-model: T-118
    it('keeps sessions ended that an operator has ended, when both restart together', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'ended-sessions-'));
      const redis = await startRedis(composeStoreOptions(directory));
      const agent = new Agent({ keepAlive: true });
      const start = () => startFleet(cloud, { size: 1, environment: () => ({ REDIS_URL: redis.url }) });
      const before = await start();
      const visitor = await signUpVisitor({ site: before, cloud }, agent, 'kate@example.com');
      const { code, output } = await run(['end-all'], { ...siteEnvironment(), REDIS_URL: redis.url });
      expect(code).toBe(0);
      expect(output).not.toContain('keep its data');
      await Promise.all([before.stop(), redis.kill()]);
      await redis.restart();
      const after = await start();
      await expect.poll(() => after.output()).toContain('shared store connected');
      const copy = createSiteVisitor(after.origin, agent, visitor.cookies);
      const isSignedIn = await copy.isSignedIn();
      agent.destroy();
      await Promise.all([after.stop(), redis.kill()]);
      rmSync(directory, { recursive: true });
      expect(isSignedIn).toBe(false);
    });
  },
);

describe('npm run sessions', () => {
  it('explains itself, and what it cannot do without a shared store', async () => {
    const { code, output } = await run(['--help'], {});
    expect(code).toBe(0);
    for (const part of ['end SUB', 'end-all', 'Without REDIS_URL', 'SESSION_SECRETS', 'disable the user']) {
      expect(output).toContain(part);
    }
  });

  it('ends nothing without REDIS_URL, and says so', async () => {
    for (const args of [['end', SOMEONE], ['end-all']]) {
      const { code, output } = await run(args, siteEnvironment());
      expect([code, output]).toEqual([1, expect.stringContaining('no session was ended')]);
    }
  });

  it('ends nothing when nothing listens at REDIS_URL', async () => {
    const password = 'markedPasswordOfTheStore';
    const url = `redis://:${password}@127.0.0.1:${await freePort()}`;
    const { code, output } = await run(['end-all'], { ...siteEnvironment(), REDIS_URL: url });
    expect([code, output]).toEqual([1, expect.stringContaining('The shared store does not respond')]);
    expect(output).not.toContain(password);
  });

  it.each([
    [[], 'Name one of the commands'],
    [['stop'], 'Name one of the commands'],
    [['end', SOMEONE, SOMEONE], 'Name one of the commands'],
    [['end'], 'needs the sub of a user'],
    [['end', 'ada@example.com'], 'needs the sub of a user'],
    [['end', `${SOMEONE}\n`], 'needs the sub of a user'],
    [['end-all', SOMEONE], 'Name one of the commands'],
    [['end-all', '--force'], "Unknown option '--force'"],
    [['end-all', '--env-file', 'missing.env'], 'does not exist'],
  ])('rejects the arguments %j', async (args, message) => {
    const { code, output } = await run(args, siteEnvironment());
    expect([code, output]).toEqual([2, expect.stringContaining(message)]);
  });

  it('names what is wrong with the environment', async () => {
    const { code, output } = await run(['end-all'], { ...siteEnvironment(), APP_ORIGIN: '' });
    expect([code, output]).toEqual([2, expect.stringContaining('APP_ORIGIN: is missing')]);
  });
});

/** The check of the shared store, by the real command against a real Redis or Valkey. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { freePort } from '../../../../tests/support/processes/site.ts';
import { registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { problems } from '../../doctor/findings/finding.ts';
import { type Diagnosis, runDoctor, startConfiguredCloud } from '../support/doctor-process.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: LocalCloud;
let environment: Record<string, string>;

beforeAll(async () => {
  ({ cloud, environment } = await startConfiguredCloud());
});
afterAll(() => cloud.close());

const diagnose = (REDIS_URL: string, ...args: string[]) => runDoctor({ ...environment, REDIS_URL }, args);

/** Expects exactly this problem and its fix. */
function expectProblem(
  { exitCode, codes, output }: Diagnosis,
  code: string,
  fix: string,
  expected = 1,
): void {
  expect({ exitCode, codes }).toEqual({ exitCode: expected, codes: [code] });
  expect(output).toContain(`Fix: ${fix}`);
}

describe.runIf(redisProgram)('a running shared store', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
    registerSecret('Redis password', new URL(redis.url).password);
  });
  afterAll(() => redis.kill());

  /** Sends one command as an administrator. */
  async function configure(...command: string[]): Promise<void> {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.sendCommand(command);
    client.destroy();
  }

  it('without problems is reported with its version', async () => {
    const { exitCode, output, codes } = await diagnose(redis.url);
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
    expect(output).toMatch(/ok {11}Shared store: The shared store runs version \d/);
  });

  it('that deletes keys when its memory is full gets a warning', async () => {
    await configure('CONFIG', 'SET', 'maxmemory', '100mb');
    await configure('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const diagnosis = await diagnose(redis.url);
    await configure('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expectProblem(diagnosis, 'store-evicts-keys', 'Set maxmemory-policy to noeviction', 0);
  });

  it('that is a replica is a failure', async () => {
    await configure('REPLICAOF', '127.0.0.1', '1');
    const diagnosis = await diagnose(redis.url);
    await configure('REPLICAOF', 'NO', 'ONE');
    expectProblem(diagnosis, 'store-read-only', 'Set REDIS_URL to the primary server.');
  });

  it('over a network without TLS gets a warning', async () => {
    // This address means the machine itself too, but is not a loopback address.
    const diagnosis = await diagnose(redis.url.replace('127.0.0.1', '0.0.0.0'));
    expectProblem(diagnosis, 'store-not-encrypted', 'Use rediss:// unless', 0);
  });

  it('that rejects the password is a failure', async () => {
    const url = new URL(redis.url);
    url.password = 'the-password-of-another-server';
    registerSecret('Redis password', url.password);
    const fix = 'Set REDIS_URL to redis://USER:PASSWORD@HOST:PORT';
    expectProblem(await diagnose(url.href), 'store-login-rejected', fix);
  });

  it('without TLS that is addressed with rediss:// is a failure', async () => {
    // The server waits for the end of a command, so the result takes as long as the time limit.
    const diagnosis = await diagnose(redis.url.replace('redis:', 'rediss:'), '--timeout', '3');
    expect(diagnosis.exitCode).toBe(1);
    expect(diagnosis.codes).toContain('store-tls-mismatch');
    expect(diagnosis.output).toContain('Fix: Use rediss:// for a server with TLS');
  });
});

describe('the shared store of deploy/compose.yaml', () => {
  it('has the policy that the fix of store-evicts-keys names', () => {
    expect(readFileSync('deploy/compose.yaml', 'utf8')).toContain('--maxmemory-policy, noeviction');
    expect(problems['store-evicts-keys'].fix).toContain('maxmemory-policy to noeviction');
  });
});

describe('a shared store', () => {
  it('at which nothing responds is a failure', async () => {
    const diagnosis = await diagnose(`redis://127.0.0.1:${await freePort()}`);
    expectProblem(diagnosis, 'store-unreachable', 'Check host and port in REDIS_URL');
  });

  it('older than the client supports is a failure', async () => {
    const server = createServer((socket) => {
      socket.on('data', () => socket.write("-ERR unknown command 'HELLO'\r\n")).on('error', () => {});
    });
    const port = await freePort();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    const diagnosis = await diagnose(`redis://127.0.0.1:${port}`);
    server.close();
    expectProblem(diagnosis, 'store-too-old', 'Update the server to Redis 6 or later');
  });
});

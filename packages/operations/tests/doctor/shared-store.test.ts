/** The check of the shared store, by the real command against a real Redis or Valkey. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { freePort } from '../../../../tests/support/processes/site.ts';
import { registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { problems } from '../../doctor/findings/finding.ts';
import { runDoctor, SESSION_SECRETS } from '../support/doctor-process.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: LocalCloud;
let environment: Record<string, string>;

beforeAll(async () => {
  cloud = await startLocalCloud();
  const appOrigin = `http://localhost:${await freePort()}`;
  environment = { APP_ORIGIN: appOrigin, SESSION_SECRETS, ...cloud.environment({ appOrigin }) };
});
afterAll(() => cloud.close());

const diagnose = (REDIS_URL: string) => runDoctor({ ...environment, REDIS_URL });

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
    const { exitCode, output, codes } = await diagnose(redis.url);
    await configure('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: ['store-evicts-keys'] });
    expect(output).toContain('Fix: Set maxmemory-policy to noeviction');
  });

  it('that is a replica is a failure', async () => {
    await configure('REPLICAOF', '127.0.0.1', '1');
    const { exitCode, output, codes } = await diagnose(redis.url);
    await configure('REPLICAOF', 'NO', 'ONE');
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: ['store-read-only'] });
    expect(output).toContain('Fix: Set REDIS_URL to the primary server.');
  });

  it('over a network without TLS gets a warning', async () => {
    // This address means the machine itself too, but is not a loopback address.
    const { exitCode, output, codes } = await diagnose(redis.url.replace('127.0.0.1', '0.0.0.0'));
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: ['store-not-encrypted'] });
    expect(output).toContain('Fix: Use rediss:// unless');
  });

  it('that rejects the password is a failure', async () => {
    const url = new URL(redis.url);
    url.password = 'the-password-of-another-server';
    registerSecret('Redis password', url.password);
    const { exitCode, output, codes } = await diagnose(url.href);
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: ['store-login-rejected'] });
    expect(output).toContain('Fix: Set REDIS_URL to redis://USER:PASSWORD@HOST:PORT');
  });

  it('without TLS that is addressed with rediss:// is a failure', async () => {
    // The server waits for the end of a command, so the result takes as long as the time limit.
    const REDIS_URL = redis.url.replace('redis:', 'rediss:');
    const { exitCode, output, codes } = await runDoctor({ ...environment, REDIS_URL }, ['--timeout', '3']);
    expect(exitCode).toBe(1);
    expect(codes).toContain('store-tls-mismatch');
    expect(output).toContain('Fix: Use rediss:// for a server with TLS');
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
    const { exitCode, output, codes } = await diagnose(`redis://127.0.0.1:${await freePort()}`);
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: ['store-unreachable'] });
    expect(output).toContain('Fix: Check host and port in REDIS_URL');
  });

  it('older than the client supports is a failure', async () => {
    const server = createServer((socket) => {
      socket.on('data', () => socket.write("-ERR unknown command 'HELLO'\r\n")).on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : address;
    const { exitCode, output, codes } = await diagnose(`redis://127.0.0.1:${port}`);
    server.close();
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: ['store-too-old'] });
    expect(output).toContain('Fix: Update the server to Redis 6 or later');
  });
});

/** The check of the shared store, by the real command against a real Redis or Valkey. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  composeStoreOptions,
  type RedisServer,
  redisProgram,
  startRedis,
} from '../../../tests/support/processes/redis.ts';
import { freePort } from '../../../tests/support/processes/site.ts';
import { registerSecret } from '../../../tests/support/secrets/secret-detection.ts';
import { type Diagnosis, runDoctor, startConfiguredCloud } from './support/doctor-process.ts';

let cloud: LocalCloud;
let environment: Record<string, string>;

beforeAll(async () => {
  ({ cloud, environment } = await startConfiguredCloud());
});
afterAll(() => cloud.close());

const diagnose = (REDIS_URL: string, ...args: string[]) => runDoctor({ ...environment, REDIS_URL }, args);

/** Expects exactly one problem that contains these texts. */
function expectProblem({ exitCode, problems }: Diagnosis, texts: readonly string[], expected = 1): void {
  expect({ exitCode, problems }).toEqual({ exitCode: expected, problems: [expect.any(String)] });
  for (const text of texts) expect(problems[0]).toContain(text);
}

describe.runIf(redisProgram)('a running shared store', () => {
  let redis: RedisServer;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'shared-store-'));
    redis = await startRedis(composeStoreOptions(directory));
    registerSecret('Redis password', new URL(redis.url).password);
  });
  afterAll(async () => {
    await redis.kill();
    rmSync(directory, { recursive: true });
  });

  /** Sends one command as an administrator. */
  async function configure(...command: string[]): Promise<void> {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.sendCommand(command);
    client.destroy();
  }

  it('without problems is reported', async () => {
    const { exitCode, output, problems } = await diagnose(redis.url);
    expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: [] });
    expect(output).toContain('ok           The shared store accepts the connection.');
  });

  it('that deletes keys when its memory is full gets a warning', async () => {
    await configure('CONFIG', 'SET', 'maxmemory', '100mb');
    await configure('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const diagnosis = await diagnose(redis.url);
    await configure('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expectProblem(diagnosis, ['deletes keys', 'Fix: Set maxmemory-policy to noeviction'], 0);
  });

  // threat-model: T-118
  it('that loses its data at a restart gets a warning, unless it writes snapshots', async () => {
    await configure('CONFIG', 'SET', 'appendonly', 'no');
    const diagnosis = await diagnose(redis.url);
    await configure('CONFIG', 'SET', 'save', '3600 1');
    const { problems } = await diagnose(redis.url);
    await configure('CONFIG', 'SET', 'appendonly', 'yes');
    expectProblem(diagnosis, ['loses its data', 'Fix: Set appendonly to yes'], 0);
    expect(problems).toEqual([]);
  });

  it('that allows no CONFIG has no problem, and the report says what was not checked', async () => {
    const password = 'password-of-a-restricted-user';
    registerSecret('Redis password', password);
    await configure('CONFIG', 'SET', 'appendonly', 'no');
    await configure('ACL', 'SETUSER', 'site', 'on', `>${password}`, '~*', '+@all', '-config');
    const url = new URL(redis.url);
    Object.assign(url, { username: 'site', password });
    const { exitCode, problems, output } = await diagnose(url.href);
    await configure('CONFIG', 'SET', 'appendonly', 'yes');
    expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: [] });
    expect(output).toContain('does not say whether it keeps its data');
  });

  it('that is a replica is a failure', async () => {
    await configure('REPLICAOF', '127.0.0.1', '1');
    const diagnosis = await diagnose(redis.url);
    await configure('REPLICAOF', 'NO', 'ONE');
    expectProblem(diagnosis, ['a replica', 'Fix: Set REDIS_URL to the primary server.']);
  });

  it('over a network without TLS gets a warning', async () => {
    // This address means the machine itself too, but is not a loopback address.
    const diagnosis = await diagnose(redis.url.replace('127.0.0.1', '0.0.0.0'));
    expectProblem(diagnosis, ['without TLS', 'Fix: Use rediss:// unless'], 0);
  });

  it('that rejects the password is a failure', async () => {
    const url = new URL(redis.url);
    url.password = 'the-password-of-another-server';
    registerSecret('Redis password', url.password);
    expectProblem(await diagnose(url.href), ['(WRONGPASS)', 'user name and password in REDIS_URL']);
  });

  it('without TLS that is addressed with rediss:// is a failure', async () => {
    // The server waits for the end of a command, so the result takes as long as the time limit.
    const diagnosis = await diagnose(redis.url.replace('redis:', 'rediss:'), '--timeout', '3');
    expect(diagnosis.exitCode).toBe(1);
    expect(diagnosis.output).toContain('rediss:// is for a server with TLS');
  });
});

describe('a shared store', () => {
  it('at which nothing responds is a failure', async () => {
    const diagnosis = await diagnose(`redis://127.0.0.1:${await freePort()}`);
    expectProblem(diagnosis, ['(ECONNREFUSED)', 'Fix: Check host, port']);
  });

  it('older than the client supports is a failure', async () => {
    const server = createServer((socket) => {
      socket.on('data', () => socket.write("-ERR unknown command 'HELLO'\r\n")).on('error', () => {});
    });
    const port = await freePort();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    const diagnosis = await diagnose(`redis://127.0.0.1:${port}`);
    server.close();
    expectProblem(diagnosis, ['has to be Redis 6 or later']);
  });
});

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bundleCommand } from '../../../tests/support/setup/bundled-command.ts';

const readyMessage = z.object({
  ready: z.literal(true),
  origin: z.string(),
  environment: z.record(z.string(), z.string()),
  administrator: z.object({ email: z.email(), password: z.string() }),
});

const SOURCE = 'tools/cloud.ts';

let dataDir = '';
let bundle = '';
let running: ChildProcess | null = null;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'local-cloud-'));
  bundle = await bundleCommand(SOURCE);
});
afterEach(() => running?.kill('SIGKILL'));
afterAll(() => rm(dataDir, { recursive: true }));

function startProcess(variables: Record<string, string> = {}, path = bundle): ChildProcess {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  running = fork(path, {
    // As npm starts it.
    execArgv: path === SOURCE ? ['--import', 'tsx'] : [],
    env: { ...inherited, NODE_ENV: 'test', CLOUD_PORT: '0', CLOUD_DATA: dataDir, ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return running;
}

async function ready(child: ChildProcess) {
  const [message] = await once(child, 'message');
  return readyMessage.parse(message);
}

async function outputOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let output = '';
  for await (const chunk of stream ?? []) output += chunk;
  return output;
}

test('sends its origin and the site’s environment to the parent process, and exits with 0 on SIGTERM', async () => {
  const child = startProcess({ SITE_ORIGIN: 'http://localhost:3000,http://localhost:3001' }, SOURCE);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const { origin, environment, administrator } = await ready(child);
  expect((await fetch(`${origin}/_outbox`)).status).toBe(200);
  await expect
    .poll(() => output)
    .toContain(`Administrator ${administrator.email}, password ${administrator.password}\n`);
  expect(environment.COGNITO_DOMAIN).toBe(origin);

  const siteEnv = join(dataDir, 'site.env');
  expect((await stat(siteEnv)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(siteEnv, 'utf8')).trim().split('\n');
  expect(lines).toContain('APP_ORIGIN=http://localhost:3000');
  expect(lines).toContain(`COGNITO_CLIENT_ID=${environment.COGNITO_CLIENT_ID}`);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('exits when the parent process disconnects', async () => {
  const child = startProcess();
  await ready(child);
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

/** The status and the error output of a process that does not start. */
async function failedStart(variables: Record<string, string> = {}) {
  const child = startProcess(variables);
  const [errors, [code]] = await Promise.all([outputOf(child.stderr), once(child, 'exit')]);
  return { code, errors };
}

test('exits with an error in production', async () => {
  const { code, errors } = await failedStart({ NODE_ENV: 'production' });
  expect(code).toBe(1);
  expect(errors).toContain('does not run in production');
});

test('names the variable CLOUD_PORT when the port is in use, and else the process that uses the data folder', async () => {
  const first = startProcess();
  const { origin } = await ready(first);
  const onSamePort = await failedStart({ CLOUD_PORT: new URL(origin).port });
  const inSameFolder = await failedStart();
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect([onSamePort.code, inSameFolder.code]).toEqual([1, 1]);
  expect(onSamePort.errors).toContain('CLOUD_PORT');
  expect(inSameFolder.errors).toMatch(new RegExp(`^Process ${first.pid} uses the folder .*\\n$`));
});

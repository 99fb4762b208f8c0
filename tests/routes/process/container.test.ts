import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killOnExit } from '../../support/processes/child-process.ts';
import { readContainerImage } from '../../support/processes/container-image.ts';
import { freePort, waitUntilReady } from '../../support/processes/site.ts';
import { forThisSite } from '../../support/this-site.ts';

/** The id of the user `node` in the official images. Only root can start a process as another user. */
const NODE_USER = 1000;
const asNodeUser = process.getuid?.() === 0 ? { uid: NODE_USER, gid: NODE_USER } : {};

const image = readContainerImage();
let directory: string;
let site: ChildProcess;
let origin: string;
let environment: Record<string, string>;
let output = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'container-'));
  chmodSync(directory, 0o755);
  image.copyFilesTo(directory);
  if (asNodeUser.uid) chownSync(join(directory, 'build', 'kept'), NODE_USER, NODE_USER);
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  environment = {
    ...image.environment,
    PORT: port,
    APP_ORIGIN: origin,
    SESSION_SECRETS: 'k7Qe2vXw9RbT4mZc1NpLs8HdYg3JfUa6',
    COGNITO_USER_POOL_ID: 'us-east-1_Example00',
    COGNITO_CLIENT_ID: '1example23456789',
    COGNITO_DOMAIN: 'https://example.auth.us-east-1.amazoncognito.com',
    COGNITO_IDENTITY_POOL_ID: 'us-east-1:00000000-0000-4000-8000-000000000000',
    GRAPHQL_ENDPOINT: 'https://example.appsync-api.us-east-1.amazonaws.com/graphql',
    ICON_API_HOSTS: 'none',
  };
  site = run(image.command);
  await waitUntilReady(site, `${origin}/readyz`, () => output);
});

afterAll(() => {
  site.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** Starts a command as the container does: with the image's files, environment and user, and nothing else. */
function run([program, ...args]: readonly string[]): ChildProcess {
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, {
    cwd: directory,
    // NODE_ENV is one of the image's variables.
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...asNodeUser,
  });
  killOnExit(child);
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return child;
}

describe('the container image', () => {
  it('contains no node_modules and does not run as root', () => {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
    expect(image.user).toBe('node');
  });

  it('passes its own health check', async () => {
    expect(await (await fetch(`${origin}/healthz`)).text()).toBe('ok\n');
    const [code] = await once(run(image.healthCheck), 'exit');
    expect(code, output).toBe(0);
  });

  it.each(forThisSite(['/', '/ar/test-message']))('renders %s', async (path) => {
    const response = await fetch(origin + path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<html lang=');
  });

  it('serves the icons of the installed collection, and the licenses of its packages', async () => {
    const icons = await fetch(`${origin}/api/icons/lucide.json?icons=house`);
    expect(await icons.json()).toMatchObject({ prefix: 'lucide', icons: { house: {} } });
    const licenses = await fetch(`${origin}/licenses.txt`);
    expect(await licenses.text()).toMatch(/^react \d+\.\d+\.\d+ \(MIT\)$/m);
  });

  it('keeps the assets of its build for later deployments', () => {
    expect(readdirSync(join(directory, 'build', 'kept', 'assets')).length).toBeGreaterThan(3);
  });

  it('exits with 0 after SIGTERM', async () => {
    const exited = once(site, 'exit');
    site.kill('SIGTERM');
    expect(await exited, output).toEqual([0, null]);
  });
});

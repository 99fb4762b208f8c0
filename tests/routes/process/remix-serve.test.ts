import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, waitUntilReady } from '../../support/processes/site.ts';

// Production runs server.ts. That the build is a standard Remix build all the same shows here.
let stockServer: ChildProcess;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stockServer = spawn(
    process.execPath,
    ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'],
    {
      env: { PATH: process.env.PATH, PORT: String(port), NODE_ENV: 'production' },
      stdio: 'ignore',
    },
  );
  await waitUntilReady(stockServer, origin, () => '');
}, 25_000);

afterAll(async () => {
  // Asked in kindness, it waits for connections that stay open.
  stockServer.kill('SIGKILL');
  await once(stockServer, 'exit');
});

it.each([
  ['/', 'en-US', 'ltr'],
  ['/ar', 'ar-SA', 'rtl'],
  ['/ja/typography-demo', 'ja-JP', 'ltr'],
  ['/fr/test-message', 'fr-FR', 'ltr'],
])('Remix’s own server renders %s', async (path, lang, dir) => {
  const response = await fetch(origin + path);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(`<html lang="${lang}" dir="${dir}"`);
});

it('Remix’s own server answers 404 in the language of the path', async () => {
  const response = await fetch(`${origin}/de/nirgends`);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('<html lang="de-DE"');
});

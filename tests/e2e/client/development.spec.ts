/** `npm run dev`: the site served by Vite, with the local cloud. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { freePort, waitUntilReady } from '../../support/processes/site.ts';
import { examplePage, examplePath, other, otherHome } from '../../support/this-site.ts';
import { hydrate } from '../support/fixtures.ts';
import { navigationLink } from '../support/site-pages.ts';

let development: ChildProcess;
let origin: string;

test.beforeAll(async () => {
  const [port, cloudPort] = [await freePort(), await freePort()];
  origin = `http://localhost:${port}`;
  development = spawn(process.execPath, ['scripts/dev.mjs'], {
    env: {
      ...process.env,
      PORT: String(port),
      CLOUD_PORT: String(cloudPort),
      CLOUD_DATA: test.info().outputPath('cloud'),
    },
    stdio: 'ignore',
  });
  await waitUntilReady(development, `${origin}/readyz`, () => 'see the output of npm run dev');
});

test.afterAll(async () => {
  development.kill('SIGINT');
  await once(development, 'exit');
});

test('hydrates, navigates and starts a sign-in without errors or warnings on the console', async ({
  page,
}) => {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  // Vite discovers some packages on the first visit and then reloads the page, which may interrupt the visit.
  await expect(async () => {
    problems.length = 0;
    await page.goto(origin + otherHome);
    await hydrate(page);
    await page.evaluate(() => Object.assign(window, { loadedOnce: true }));
    await navigationLink(page, examplePage.name, other).click();
    await expect(page).toHaveURL(origin + examplePath(other), { timeout: 10_000 });
    expect(await page.evaluate(() => 'loadedOnce' in window), 'without a new document').toBe(true);
  }).toPass();
  await page.goto(`${origin}/auth/sign-in?returnTo=${otherHome}`);
  await expect(page.locator('input[name="password"]')).toBeVisible();
  expect(problems).toEqual([]);
});

test('reloads after a change in the code, and not after files are written at run time', async ({ page }) => {
  const changes: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('remix:hmr')) changes.push(String(payload));
    }),
  );
  await page.goto(origin + otherHome);
  await hydrate(page);
  for (const folder of ['build', '.local-cloud']) {
    const file = `${folder}/written-at-run-time.txt`;
    mkdirSync(folder, { recursive: true });
    for (const text of ['once', 'again']) {
      writeFileSync(file, text);
      await page.waitForTimeout(500);
    }
    rmSync(file);
  }
  expect(changes).toEqual([]);
  const now = new Date();
  utimesSync('app/root.tsx', now, now);
  await expect.poll(() => changes.length).toBeGreaterThan(0);
});

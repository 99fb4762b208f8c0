/** `npm run dev`: the site served by Vite, with the local cloud, in a copy of the repository whose files the tests change. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { createClient } from '@redis/client';
import { locales } from '../../../app/i18n/locales.ts';
import { copyRepository } from '../../../tools/setup/repository-copy.ts';
import { type RedisServer, startRedis } from '../../support/processes/redis.ts';
import { freePort, waitUntilReady } from '../../support/processes/site.ts';
import { examplePage, examplePath, other, otherHome } from '../../support/this-site.ts';
import { hydrate } from '../support/fixtures.ts';
import { navigationLink } from '../support/site-pages.ts';

let copy: string;
let redis: RedisServer;
let development: ChildProcess;
let output = '';
let origin: string;
let cloudOrigin: string;
let exited: Promise<unknown>;

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
};
const edit = (file: string, change: (text: string) => string) =>
  write(file, change(readFileSync(join(copy, file), 'utf8')));

test.beforeAll(async () => {
  const [port, cloudPort] = [await freePort(), await freePort()];
  origin = `http://localhost:${port}`;
  cloudOrigin = `http://localhost:${cloudPort}`;
  copy = copyRepository();
  // `npm run dev` installs packages when the lock file is newer than they are. The copy uses those of the repository.
  utimesSync(join(copy, 'package-lock.json'), 0, 0);
  redis = await startRedis();
  development = spawn(process.execPath, ['tools/dev.mjs'], {
    cwd: copy,
    env: { ...process.env, PORT: String(port), CLOUD_PORT: String(cloudPort), REDIS_URL: redis.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  exited = once(development, 'exit');
  for (const stream of [development.stdout, development.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  await waitUntilReady(development, `${origin}/readyz`, () => output);
});

test.afterAll(async () => {
  development.kill('SIGINT');
  await exited;
  await redis.kill();
  rmSync(copy, { recursive: true, force: true });
});

/**
 * Opens a page whose scripts Vite may not have prepared yet: it loads the page anew then. Until the page is connected, it
 * gets no message of Vite.
 */
async function openHydrated(page: Page, path: string): Promise<void> {
  await expect(async () => {
    await Promise.all([untilConnected(page), page.goto(origin + path)]);
    await hydrate(page);
  }).toPass();
}

/** Replaces a text in a file, which reloads the page. A page that loads misses an edit, so it is connected before and after. */
async function editAndReload(page: Page, file: string, [from, to]: [string, string]): Promise<void> {
  const connected = untilConnected(page);
  edit(file, (text) => text.replace(from, to));
  await connected;
}

function untilConnected(page: Page): Promise<unknown> {
  return page.waitForEvent('console', {
    predicate: (message) => message.text().includes('[vite] connected'),
    timeout: 60_000,
  });
}

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
  await openHydrated(page, otherHome);
  changes.length = 0;
  for (const folder of ['build', '.local-cloud']) {
    const file = `${folder}/written-at-run-time.txt`;
    for (const text of ['once', 'again']) {
      write(file, text);
      await page.waitForTimeout(500);
    }
    rmSync(join(copy, file));
  }
  expect(changes).toEqual([]);
  const now = new Date();
  utimesSync(join(copy, 'app/root.tsx'), now, now);
  await expect.poll(() => changes.length).toBeGreaterThan(0);
});

test('shows a new page, and after a change its texts and what its loader returns', async ({ page }) => {
  for (const { code } of locales) {
    write(`public/locales/${code}/sample.json`, '{ "title": "First title", "description": "A sample." }');
    edit(`public/locales/${code}/common.json`, (text) =>
      text.replace('"pages": {', '"pages": { "sample": "Sample",'),
    );
  }
  write(
    'app/pages/sample/sample.tsx',
    `import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';

export async function loader(args: LoaderFunctionArgs) {
  return { ...(await pageData('sample', args)), loaded: 'First data' };
}

export const meta = pageMeta;

export default function SamplePage() {
  const { t } = useTranslation('sample');
  return <h1>{t('title')}: {useLoaderData<typeof loader>().loaded}</h1>;
}
`,
  );
  edit('app/pages.ts', (text) =>
    text.replace(
      'const definitions = [',
      "const definitions = [{ name: 'sample', slug: 'sample', namespace: 'sample' },",
    ),
  );
  await expect.poll(() => output, { timeout: 120_000 }).toContain('server restarted');
  const path = `/${other.code}/sample`;
  const title = page.getByRole('heading', { level: 1 });
  await expect(async () => {
    await openHydrated(page, path);
    await expect(title).toHaveText('First title: First data', { timeout: 5_000 });
  }).toPass();

  await editAndReload(page, 'app/pages/sample/sample.tsx', ['First data', 'Second data']);
  await expect(title).toHaveText('First title: Second data');
  expect(output).toContain('page reload app/pages/sample/sample.tsx');

  const texts = `public/locales/${other.code}/sample.json`;
  await editAndReload(page, texts, ['First title', 'Second title']);
  await expect(title).toHaveText('Second title: Second data');
  expect(output).toContain(`page reload ${texts}`);

  edit(texts, (text) => text.replace('{', '{\n,'));
  await expect.poll(() => output).toMatch(new RegExp(`${texts} is not valid JSON: .* \\(${texts}:2:1\\)`));
  await page.reload();
  await expect(title).toHaveText('Second title: Second data');
  edit(texts, (text) => text.replace('{\n,', '{'));
});

function firstResolver(): string {
  const [name = ''] = readdirSync(join(copy, 'infra/resolvers')).filter((file) => file.endsWith('.js'));
  return `infra/resolvers/${name}`;
}

test('starts the local cloud again after a change of a resolver, and tells of a mistake in it, the schema and the template', async () => {
  const starts = () => output.split('Local cloud  ').length - 1;
  const before = starts();
  const resolver = firstResolver();
  const correct = readFileSync(join(copy, resolver), 'utf8');
  write(resolver, `${correct}\nconst mistake = (;\n`);
  await expect
    .poll(() => output)
    .toMatch(
      new RegExp(`${resolver}:${correct.split('\n').length + 1}\\b[\\s\\S]*The local cloud did not start\\.`),
    );
  expect((await fetch(origin + otherHome)).status).toBe(200);
  write(resolver, correct);
  await expect.poll(starts).toBe(before + 1);

  const schema = readFileSync(join(copy, 'schema.graphql'), 'utf8');
  write('schema.graphql', `${schema}type Sample { field: Missing }\n`);
  await expect
    .poll(() => output)
    .toContain(`schema.graphql:${schema.split('\n').length}:22: Unknown type "Missing"`);
  expect((await fetch(origin + otherHome)).status).toBe(200);
  write('schema.graphql', schema);
  await expect.poll(starts).toBe(before + 2);

  const template = readFileSync(join(copy, 'infra/template.yaml'), 'utf8');
  write('infra/template.yaml', `${template}  Sample: !GetAt Missing\n`);
  await expect
    .poll(() => output)
    .toMatch(
      new RegExp(
        `^infra/template\\.yaml:${template.split('\n').length}:\\d+: Unresolved tag: !GetAt\\.[\\s\\S]*The local cloud did not start`,
        'm',
      ),
    );
  expect((await fetch(origin + otherHome)).status).toBe(200);
  write('infra/template.yaml', template);
  await expect.poll(starts).toBe(before + 3);
});

test('keeps one connection to Redis, however often a module of the server changes', async () => {
  const client = await createClient({ url: redis.url }).connect();
  const connections = async () =>
    (await client.sendCommand<string>(['CLIENT', 'LIST'])).trim().split('\n').length - 1;
  await expect.poll(connections).toBe(1);
  for (const value of [1, 2, 3]) {
    edit(
      'app/server/content-policy/policy-reports.ts',
      (text) => `${text}\nexport const edit${value} = ${value};\n`,
    );
    await expect
      .poll(() => output.split('page reload app/server/content-policy/policy-reports.ts').length - 1)
      .toBe(value);
    expect((await fetch(origin + otherHome)).status).toBe(200);
    await expect.poll(connections).toBe(1);
  }
  await client.close();
});

test('stops the local cloud too, also while it starts again', async ({ page }) => {
  const isUp = () =>
    fetch(cloudOrigin).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  edit(firstResolver(), (text) => `${text}\n`);
  await expect.poll(isUp, { intervals: [20] }).toBe(false);
  // Its next process does not listen yet.
  await page.waitForTimeout(300);
  development.kill('SIGINT');
  await exited;
  expect(await isUp()).toBe(false);
});

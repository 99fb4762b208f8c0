/** A page that stays open while the site is deployed anew, or while its code goes missing. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { PageName } from '../../../app/pages.ts';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { buildChanged, copyBuild } from '../../support/processes/builds.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const english = translationsOf('en');
const HOUR = 3_600_000;

let first: string;
let second: string;

test.beforeAll(() => {
  test.setTimeout(180_000);
  first = copyBuild('first');
  second = buildChanged('second');
});

/** One address, behind which builds come and go. */
type Address = { origin: string; cloud: LocalCloud; deploy(directory: string): Promise<void> };

const deployments = test.extend<{ address: Address }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern.
  address: async ({}, use, info) => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const cloud = await startLocalCloud({ siteOrigins: [origin], onSecret: registerSecret });
    let site: Site | undefined;
    const environment = {
      ...cloud.environment({ client: 'rotating' }),
      BUILDS_DIRECTORY: info.outputPath('kept'),
    };
    await use({
      origin,
      cloud,
      async deploy(directory) {
        await site?.stop();
        site = await startSite(port, environment, directory);
      },
    });
    expect(await site?.stop(), 'the site ends in order').toBe(0);
    await cloud.close();
  },
});

/** Opens a page and wakes it, as a visitor does who begins to use it. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await hydrate(page);
}

/** Likewise, until the page has had its one look at its own build's manifest. */
async function openAndSettle(page: Page, address: string): Promise<void> {
  const warmUp = page.waitForResponse(/\/builds\/meta\//);
  await open(page, address);
  expect((await warmUp).status()).toBe(200);
}

function watchDocuments(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest()) seen.push(new URL(request.url()).pathname);
  });
  return seen;
}

const pageLink = (page: Page, name: PageName) =>
  page
    .getByRole('navigation', { name: english('nav.label') })
    .getByRole('link', { name: english(`nav.pages.${name}`) });

const notice = (page: Page) => page.getByText(english('newVersion.title'));
const buildId = (page: Page) => page.locator('meta[name="build-id"]').getAttribute('content');

deployments(
  'a new build is noticed in an hour, told, and taken up by the next navigation',
  async ({ page, address }) => {
    await address.deploy(first);
    await page.clock.install();
    await openAndSettle(page, address.origin);
    const oldId = await buildId(page);
    const documents = watchDocuments(page);

    await address.deploy(second);
    await page.clock.fastForward(HOUR / 2);
    await expect(notice(page)).toBeHidden();
    await page.clock.fastForward(HOUR / 2);
    await expect(notice(page)).toBeVisible();
    expect(documents, 'nothing is loaded that nobody asked for').toEqual([]);
    await page.getByRole('button', { name: english('newVersion.dismiss') }).click();
    await expect(notice(page)).toBeHidden();

    await pageLink(page, 'typography-demo').click();
    await expect(page).toHaveURL(`${address.origin}/typography-demo`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    expect(documents).toEqual(['/typography-demo']);
    expect(await buildId(page)).not.toBe(oldId);
  },
);

deployments('a new build is noticed on a page that nobody has touched', async ({ page, address }) => {
  await address.deploy(first);
  await page.clock.install();
  const warmUp = page.waitForResponse(/\/builds\/meta\//);
  await page.goto(address.origin);
  await warmUp;
  await address.deploy(second);
  await page.clock.fastForward(HOUR);
  await expect(notice(page)).toBeVisible();
});

deployments('a new build is noticed when the window gets the focus', async ({ page, address }) => {
  await address.deploy(first);
  await page.clock.install();
  await openAndSettle(page, address.origin);
  await address.deploy(second);
  await page.clock.fastForward(HOUR / 4);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(notice(page)).toBeVisible();
});

deployments('a new build is met on the way to a page', async ({ page, address }) => {
  await address.deploy(first);
  await open(page, address.origin);
  const oldId = await buildId(page);
  const documents = watchDocuments(page);
  await address.deploy(second);

  await pageLink(page, 'typography-demo').click();
  await expect(page).toHaveURL(`${address.origin}/typography-demo`);
  await expect(page.locator('meta[name="build-id"]')).not.toHaveAttribute('content', oldId ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
  expect(documents).toEqual(['/typography-demo']);
});

deployments('an open page finds its code after a deployment', async ({ page, address }) => {
  await address.deploy(first);
  await open(page, address.origin);
  const chunk = await page.evaluate(
    () => performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/home-'))?.name,
  );
  await address.deploy(second);
  const response = await page.request.get(chunk ?? '');
  expect(response.status()).toBe(200);
  expect(response.headers()['cache-control']).toContain('immutable');
});

for (const storage of ['there', 'blocked'] as const) {
  deployments(
    `text that was typed outlives a new build (storage is ${storage})`,
    async ({ page, address }) => {
      if (storage === 'blocked') await page.addInitScript(blockStorage);
      await address.deploy(first);
      await page.goto(`${address.origin}/auth/sign-up?returnTo=/test-message`);
      await completeSignUp(page, address.cloud, 'writer@example.com');
      await page.clock.install();
      await open(page, `${address.origin}/test-message`);
      const field = page.getByLabel(english('test-message:compose.label'));
      await field.fill('Do not lose me');

      await address.deploy(second);
      await page.clock.fastForward(HOUR);
      await expect(notice(page)).toBeVisible();
      await expect(field).toHaveValue('Do not lose me');
      await page.getByRole('button', { name: english('newVersion.reload') }).click();
      await expect(notice(page)).toBeHidden();
      await expect(field).toHaveValue('Do not lose me');

      // What is put back is what is sent.
      await page.getByRole('button', { name: english('test-message:compose.send') }).click();
      await expect(page.getByText(english('test-message:compose.sent'))).toBeVisible();
      await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
    },
  );
}

test.describe('code that is gone', () => {
  for (const storage of ['there', 'blocked'] as const) {
    deployments(
      `is loaded with the document, once in ten seconds (storage is ${storage})`,
      async ({ page, address }) => {
        const broken = copyBuild(`without-typography-${storage}`);
        const assets = join(broken, 'build', 'client', 'assets');
        for (const file of readdirSync(assets).filter((name) => name.startsWith('typography-demo-'))) {
          rmSync(join(assets, file));
        }
        await address.deploy(broken);
        if (storage === 'blocked') await page.addInitScript(blockStorage);
        await open(page, address.origin);
        const documents = watchDocuments(page);

        await pageLink(page, 'typography-demo').click();
        await expect(page).toHaveURL(`${address.origin}/typography-demo`);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
        await page.waitForLoadState('networkidle');
        expect(documents, 'the target, and not the page before it').toEqual(['/typography-demo']);

        await open(page, address.origin);
        documents.length = 0;
        await pageLink(page, 'typography-demo').click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('error.other.title'));
        await page.waitForLoadState('networkidle');
        expect(documents, 'once is enough').toEqual([]);
      },
    );
  }
});

/** What a browser does that was told to keep nothing. */
function blockStorage(): void {
  for (const name of ['sessionStorage', 'localStorage']) {
    Object.defineProperty(window, name, {
      configurable: true,
      get() {
        throw new DOMException('Access is denied', 'SecurityError');
      },
    });
  }
}

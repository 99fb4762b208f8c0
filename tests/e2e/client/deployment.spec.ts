/** Pages that are open while the site is deployed, or while their code disappears from the server. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { buildChanged, copyBuild } from '../../support/processes/builds.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { isDocumentRequest, recordRequests } from '../support/recordings.ts';
import { messageField, navigationLink, openHydrated, sendButton, sentNotice } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const HOUR = 3_600_000;

let first: string;
let second: string;

test.beforeAll(() => {
  test.setTimeout(180_000);
  first = copyBuild('first');
  second = buildChanged('second');
});

/** A fixed origin whose build the test replaces. */
type Deployment = { origin: string; cloud: LocalCloud; deploy(directory: string): Promise<void> };

const deployments = test.extend<{ deployment: Deployment }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern.
  deployment: async ({}, use, info) => {
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
    expect(await site?.stop(), 'the site exits cleanly').toBe(0);
    await cloud.close();
  },
});

/** Opens and hydrates a page, and waits until it has requested the manifest of its build. */
async function openAndSettle(page: Page, url: string): Promise<void> {
  const manifest = page.waitForResponse(/\/builds\/meta\//);
  await openHydrated(page, url);
  expect((await manifest).status()).toBe(200);
}

const recordDocuments = (page: Page) => recordRequests(page, isDocumentRequest);

const notice = (page: Page) => page.getByText(t('newVersion.title'));
const buildId = (page: Page) => page.locator('meta[name="build-id"]').getAttribute('content');

deployments(
  'a new build is announced within an hour and loaded by the next navigation',
  async ({ page, deployment }) => {
    await deployment.deploy(first);
    await page.clock.install();
    await openAndSettle(page, deployment.origin);
    const oldId = await buildId(page);
    const documents = recordDocuments(page);

    await deployment.deploy(second);
    await page.clock.fastForward(HOUR / 2);
    await expect(notice(page)).toBeHidden();
    await page.clock.fastForward(HOUR / 2);
    await expect(notice(page)).toBeVisible();
    expect(documents, 'no document is loaded without a navigation').toEqual([]);
    await page.getByRole('button', { name: t('newVersion.dismiss') }).click();
    await expect(notice(page)).toBeHidden();

    await navigationLink(page, 'typography-demo').click();
    await expect(page).toHaveURL(`${deployment.origin}/typography-demo`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
    expect(documents).toEqual(['/typography-demo']);
    expect(await buildId(page)).not.toBe(oldId);
  },
);

deployments('a new build is announced on a page that is not hydrated', async ({ page, deployment }) => {
  await deployment.deploy(first);
  await page.clock.install();
  const manifest = page.waitForResponse(/\/builds\/meta\//);
  await page.goto(deployment.origin);
  await manifest;
  await deployment.deploy(second);
  await page.clock.fastForward(HOUR);
  await expect(notice(page)).toBeVisible();
});

deployments('a new build is announced when the window receives the focus', async ({ page, deployment }) => {
  await deployment.deploy(first);
  await page.clock.install();
  await openAndSettle(page, deployment.origin);
  await deployment.deploy(second);
  await page.clock.fastForward(HOUR / 4);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(notice(page)).toBeVisible();
});

deployments('a navigation to a page of a new build loads the document', async ({ page, deployment }) => {
  await deployment.deploy(first);
  await openHydrated(page, deployment.origin);
  const oldId = await buildId(page);
  const documents = recordDocuments(page);
  await deployment.deploy(second);

  await navigationLink(page, 'typography-demo').click();
  await expect(page).toHaveURL(`${deployment.origin}/typography-demo`);
  await expect(page.locator('meta[name="build-id"]')).not.toHaveAttribute('content', oldId ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
  expect(documents).toEqual(['/typography-demo']);
});

deployments('the code of an open page is still served after a deployment', async ({ page, deployment }) => {
  await deployment.deploy(first);
  await openHydrated(page, deployment.origin);
  const chunk = await page.evaluate(
    () => performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/home-'))?.name,
  );
  await deployment.deploy(second);
  const response = await page.request.get(chunk ?? '');
  expect(response.status()).toBe(200);
  expect(response.headers()['cache-control']).toContain('immutable');
});

for (const storage of ['available', 'blocked'] as const) {
  deployments(
    `typed text survives the reload for a new build (storage is ${storage})`,
    async ({ page, deployment }) => {
      if (storage === 'blocked') await page.addInitScript(blockStorage);
      await deployment.deploy(first);
      await page.goto(`${deployment.origin}/auth/sign-up?returnTo=/test-message`);
      await completeSignUp(page, deployment.cloud, 'writer@example.com');
      await page.clock.install();
      await openHydrated(page, `${deployment.origin}/test-message`);
      const field = messageField(page);
      await field.fill('Do not lose me');

      await deployment.deploy(second);
      await page.clock.fastForward(HOUR);
      await expect(notice(page)).toBeVisible();
      await expect(field).toHaveValue('Do not lose me');
      await page.getByRole('button', { name: t('newVersion.reload') }).click();
      await expect(notice(page)).toBeHidden();
      await expect(field).toHaveValue('Do not lose me');

      // The restored text is also the text that is sent.
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
    },
  );
}

test.describe('a page whose code is missing', () => {
  for (const storage of ['available', 'blocked'] as const) {
    deployments(
      `is loaded as a document, once in ten seconds (storage is ${storage})`,
      async ({ page, deployment }) => {
        const broken = copyBuild(`without-typography-${storage}`);
        const assets = join(broken, 'build', 'client', 'assets');
        for (const file of readdirSync(assets).filter((name) => name.startsWith('typography-demo-'))) {
          rmSync(join(assets, file));
        }
        await deployment.deploy(broken);
        if (storage === 'blocked') await page.addInitScript(blockStorage);
        await openHydrated(page, deployment.origin);
        const documents = recordDocuments(page);

        await navigationLink(page, 'typography-demo').click();
        await expect(page).toHaveURL(`${deployment.origin}/typography-demo`);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
        await page.waitForLoadState('networkidle');
        expect(documents, 'the target, not the previous page').toEqual(['/typography-demo']);

        await openHydrated(page, deployment.origin);
        documents.length = 0;
        await navigationLink(page, 'typography-demo').click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('error.other.title'));
        await page.waitForLoadState('networkidle');
        expect(documents, 'no second attempt').toEqual([]);
      },
    );
  }
});

/** Makes every access to storage throw, as browsers do when visitors block it. */
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

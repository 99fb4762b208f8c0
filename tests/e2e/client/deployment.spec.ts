/** Pages that are open while the site is deployed, or while their code disappears from the server. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { copyAsNewBuild, copyBuild } from '../../support/processes/builds.ts';
import { examplePage, examplePath, isOnePage } from '../../support/this-site.ts';
import { blockStorage, type Deployment, startDeployment } from '../support/deployment.ts';
import { expect, test } from '../support/fixtures.ts';
import { isDocumentRequest, recordRequests } from '../support/recordings.ts';
import { navigationLink, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const HOUR = 3_600_000;

let deployment: Deployment;
/** Deploys a build: the current one, one with other code of pages, or one without the code of a page. */
let deploy: Record<'first' | 'second' | 'broken', () => void>;

test.beforeAll(async () => {
  deployment = await startDeployment();
  const archive = test.info().outputPath('archive');
  deploy = {
    first: await deployment.add(copyBuild('first'), archive),
    second: await deployment.add(copyAsNewBuild('second'), archive),
    broken: await deployment.add(copyWithoutPage(), test.info().outputPath('other-archive')),
  };
});
test.afterAll(() => deployment.stop());

/** A copy of the build without the code of a page. */
function copyWithoutPage(): string {
  const directory = copyBuild('without-page');
  const assets = join(directory, 'build', 'client', 'assets');
  for (const file of readdirSync(assets).filter((name) => name.startsWith(`${examplePage.namespace}-`))) {
    rmSync(join(assets, file));
  }
  return directory;
}

const recordDocuments = (page: Page) => recordRequests(page, isDocumentRequest);

const notice = (page: Page) => page.getByText(t('newVersion.title'));

/** Follows a link, and asserts that it loads one document, of another build than that of the current one. */
async function expectNewDocument(page: Page): Promise<void> {
  const buildId = page.locator('meta[name="build-id"]');
  const oldId = (await buildId.getAttribute('content')) ?? '';
  const documents = recordDocuments(page);
  await navigationLink(page, examplePage.name).click();
  await expect(page).toHaveURL(`${deployment.origin}${examplePath()}`);
  await expect(buildId).not.toHaveAttribute('content', oldId);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
  expect(documents).toEqual([examplePath()]);
}

test('a new build is announced within an hour and loaded by the next navigation', async ({ page }) => {
  test.skip(isOnePage, 'the page has no link to another one');
  deploy.first();
  await page.clock.install();
  const manifest = page.waitForResponse(/\/builds\/meta\//);
  await openHydrated(page, deployment.origin);
  expect((await manifest).status()).toBe(200);
  const documents = recordDocuments(page);
  deploy.second();
  await page.clock.fastForward(HOUR);
  await expect(notice(page)).toBeVisible();
  expect(documents, 'no document is loaded without a navigation').toEqual([]);
  await page.getByRole('button', { name: t('newVersion.dismiss') }).click();
  await expect(notice(page)).toBeHidden();

  await expectNewDocument(page);
});

test('a new build is announced on a page that is not hydrated', async ({ page }) => {
  deploy.first();
  await page.clock.install();
  const manifest = page.waitForResponse(/\/builds\/meta\//);
  await page.goto(deployment.origin);
  await manifest;
  deploy.second();
  await page.clock.fastForward(HOUR);
  await expect(notice(page)).toBeVisible();
});

test('a navigation to a page of a new build loads the document', async ({ page }) => {
  test.skip(isOnePage, 'the page has no link to another one');
  deploy.first();
  await openHydrated(page, deployment.origin);
  deploy.second();
  await expectNewDocument(page);
});

test.describe('a page whose code is missing', () => {
  test.skip(isOnePage, 'it is the target of a link on another page');

  for (const storage of ['available', 'blocked'] as const) {
    test(`is loaded as a document, once in ten seconds (storage is ${storage})`, async ({ page }) => {
      deploy.broken();
      // Ten seconds do not pass during the test.
      await page.clock.setFixedTime(Date.now());
      if (storage === 'blocked') await page.addInitScript(blockStorage);
      await openHydrated(page, deployment.origin);
      const documents = recordDocuments(page);

      await navigationLink(page, examplePage.name).click();
      await expect(page).toHaveURL(`${deployment.origin}${examplePath()}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
      await page.waitForLoadState('networkidle');
      expect(documents, 'the target, not the previous page').toEqual([examplePath()]);

      await openHydrated(page, deployment.origin);
      documents.length = 0;
      await navigationLink(page, examplePage.name).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('error.browser.title'));
      await page.waitForLoadState('networkidle');
      expect(documents, 'no second attempt').toEqual([]);
      await page.getByRole('button', { name: t('error.reload') }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    });
  }
});

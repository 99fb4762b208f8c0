/** Interactions before and during hydration: none is lost, ignored or performed twice. */
import type { Page } from '@playwright/test';
import { examplePage, examplePath, other } from '../../support/this-site.ts';
import { expect, test, waitForHydration } from '../support/fixtures.ts';
import { CLIENT, holdClient, holdRequests, recordNavigations } from '../support/recordings.ts';
import { navigationLink } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

declare global {
  var heldTasks: (() => void)[];
}

/** Holds back the tasks in which React hydrates. It starts each of them with a message. */
async function holdReactTasks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    globalThis.heldTasks = [];
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
      heldTasks.push(() => postMessage.call(this, message));
    };
  });
}

const pageLink = (page: Page) => navigationLink(page, examplePage.name);

test.describe('the first click', () => {
  test('on a submit button sends the form once, and the hash of the page is kept', async ({ page }) => {
    await holdClient(page);
    await page.goto(`${examplePath()}#families`);
    const navigations = recordNavigations(page);
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page).toHaveURL(`${examplePath()}#families`);
    await expect.poll(() => navigations).toEqual(['POST /preferences', `GET ${examplePath()}`]);
  });

  test('on a link causes one request, also when hydration happens while the next page loads', async ({
    page,
  }) => {
    const release = await holdClient(page);
    await page.goto('/');
    const navigations = recordNavigations(page);
    const releasePage = await holdRequests(page, examplePath());
    await pageLink(page).click({ noWaitAfter: true });
    await expect.poll(() => navigations).toEqual([`GET ${examplePath()}`]);
    // A hydrated page requests the routes of its links. This is its only visible effect while another page loads.
    const discovery = page.waitForResponse(/\/__manifest\?/);
    release();
    await discovery;
    releasePage();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    expect(navigations).toEqual([`GET ${examplePath()}`]);
  });

  test('works with the keys Space and Enter', async ({ page }) => {
    await holdClient(page);
    await page.goto('/');
    await page.getByRole('button', { name: t('theme.dark') }).press('Space');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    // The styles of the new document hide the other navigation.
    await expect(pageLink(page)).toHaveCount(1);
    await pageLink(page).press('Enter');
    await expect(page).toHaveURL(examplePath());
  });
});

test.describe('the first press', () => {
  test.use({ hasTouch: true });

  test('is shown before the client-side code is requested', async ({ page }) => {
    await page.addInitScript(() => {
      const draw = () => requestAnimationFrame(() => performance.mark('frame after the press'));
      window.addEventListener('pointerdown', draw, { capture: true, once: true });
    });
    await page.goto('/');
    await page.touchscreen.tap(5, 5);
    await waitForHydration(page);
    const [drawn, requested] = await page.evaluate(() => {
      const [frame] = performance.getEntriesByName('frame after the press');
      const code = performance.getEntriesByType('resource').find(({ name }) => name.includes('/packages-'));
      return [frame?.startTime, code?.startTime];
    });
    expect(requested).toBeGreaterThan(drawn ?? Number.POSITIVE_INFINITY);
  });

  test('during hydration takes effect, and does not hydrate the page in its own task', async ({ page }) => {
    await holdReactTasks(page);
    await page.goto('/');
    await page.mouse.move(5, 5);
    // From then on React has work that waits for a task.
    await page.waitForFunction(() => heldTasks.length > 0);
    const menu = page.locator('details').first();
    await menu.locator('summary').click();
    await expect(menu).toHaveAttribute('open');
    await page.keyboard.press('Shift');
    // The first task of the hydration creates it.
    expect(await page.evaluate(() => '__remixRouter' in window)).toBe(false);
    await page.getByRole('button', { name: t('theme.dark') }).press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });
});

test('focus, selection, open menus and the scroll position survive hydration', async ({ page }) => {
  const release = await holdClient(page);
  // Every page is longer than this window.
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.goto(examplePath());
  await page.locator('summary').filter({ hasText: 'English' }).press('Enter');
  await page.getByRole('button', { name: other.ownName }).focus();
  const state = () =>
    page.evaluate(() => ({
      focus: document.activeElement?.textContent,
      open: document.querySelectorAll('details[open]').length,
      selection: String(getSelection()),
      scrollY: Math.round(scrollY),
    }));
  await page.evaluate(() => {
    getSelection()?.selectAllChildren(document.querySelectorAll('main p')[0] ?? document.body);
    window.scrollTo({ top: 40, behavior: 'instant' });
  });
  const before = await state();
  expect(before).toMatchObject({ focus: other.ownName, open: 1, scrollY: 40 });
  expect(before.selection).not.toBe('');
  release();
  await waitForHydration(page);
  expect(await state()).toEqual(before);
});

test.describe('when the client-side code cannot be loaded', () => {
  test.use({ expectedConsole: /Failed to fetch dynamically imported module|error loading dynamically/i });

  test('links and forms work without it', async ({ page }) => {
    await page.route(CLIENT, (route) => route.abort());
    await page.goto('/');
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    // The styles of the new document hide the other navigation.
    await expect(pageLink(page)).toHaveCount(1);
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
  });
});

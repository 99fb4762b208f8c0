/** Interactions before and during hydration: none is lost, ignored or performed twice. */
import type { Page, Request } from '@playwright/test';
import { examplePage, examplePath } from '../../support/this-site.ts';
import { expect, type SignUp, test, waitForHydration } from '../support/fixtures.ts';
import { holdRequests } from '../support/recordings.ts';
import { messageField as field, navigationLink, sendButton, sentNotice } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

const CLIENT = /\/assets\/packages-.*\.js$/;

/** Delays the hydration until the returned function is called. */
const holdClient = (page: Page) => holdRequests(page, CLIENT);

/** Records every document request and form submission from now on, such as `GET /path`. */
function recordNavigations(page: Page): string[] {
  const recorded: string[] = [];
  page.on('request', (request: Request) => {
    const isForm = request.method() === 'POST';
    if (!isForm && !request.isNavigationRequest()) return;
    recorded.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return recorded;
}

/** Signs up, delays the hydration and opens the test message page. */
async function openComposer(page: Page, signUp: SignUp): Promise<() => void> {
  await signUp('early@example.com');
  const release = await holdClient(page);
  await page.goto('/test-message');
  return release;
}

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
  test('on a link before hydration loads its page', async ({ page }) => {
    await holdClient(page);
    await page.goto('/');
    const navigations = recordNavigations(page);
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    expect(navigations).toEqual(['GET /typography-demo']);
  });

  test('on a submit button sends the form once, and the hash of the page is kept', async ({ page }) => {
    await holdClient(page);
    await page.goto(`${examplePath()}#families`);
    const navigations = recordNavigations(page);
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page).toHaveURL(`${examplePath()}#families`);
    await expect.poll(() => navigations).toEqual(['POST /preferences', 'GET /typography-demo']);
  });

  test('on a form that fails shows the error, also after hydration', async ({ page, cloud, signUp }) => {
    const release = await openComposer(page, signUp);
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    await field(page).fill('Do not lose me');
    await sendButton(page).click();
    await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
    release();
    await waitForHydration(page);
    await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
    await expect(field(page)).toHaveValue('Do not lose me');
    cloud.faults.set({});
    await sendButton(page).click();
    await expect(sentNotice(page)).toBeVisible();
  });

  test('on a link causes one request, also when hydration happens while the next page loads', async ({
    page,
  }) => {
    const release = await holdClient(page);
    await page.goto('/');
    const navigations = recordNavigations(page);
    const releasePage = await holdRequests(page, examplePath());
    await pageLink(page).click({ noWaitAfter: true });
    await expect.poll(() => navigations).toEqual(['GET /typography-demo']);
    // A hydrated page requests the routes of its links. This is its only visible effect while another page loads.
    const discovery = page.waitForResponse(/\/__manifest\?/);
    release();
    await discovery;
    releasePage();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    expect(navigations).toEqual(['GET /typography-demo']);
  });

  for (const key of ['Enter', 'Space'] as const) {
    test(`works with the key ${key}`, async ({ page }) => {
      await holdClient(page);
      await page.goto('/');
      const target = key === 'Enter' ? pageLink(page) : page.getByRole('button', { name: t('theme.dark') });
      await target.press(key);
      if (key === 'Enter') await expect(page).toHaveURL(examplePath());
      else await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    });
  }

  test('after hydration does not load a new document', async ({ page }) => {
    const release = await holdClient(page);
    await page.goto('/');
    await pageLink(page).hover();
    release();
    await waitForHydration(page);
    const navigations = recordNavigations(page);
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    expect(navigations).toEqual([]);
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

test.describe('text', () => {
  test('typed before, during and after hydration is kept, and so is the position of the caret', async ({
    page,
    signUp,
  }) => {
    const release = await openComposer(page, signUp);
    await field(page).focus();
    await page.keyboard.type('before, end');
    for (let back = 0; back < 'end'.length; back += 1) await page.keyboard.press('ArrowLeft');
    const duringHydration = 'during hydration, '.repeat(10);
    const typing = page.keyboard.type(duringHydration, { delay: 5 });
    release();
    await typing;
    await waitForHydration(page);
    await page.keyboard.type('after, ');
    await expect(field(page)).toHaveValue(`before, ${duringHydration}after, end`);
    await expect(field(page)).toBeFocused();
    await sendButton(page).click();
    await expect(sentNotice(page)).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: 'after, end' })).toHaveCount(1);
  });

  test('in an input method is not interrupted', async ({ page, signUp }) => {
    const release = await openComposer(page, signUp);
    const devtools = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      devtools.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    await field(page).focus();
    await compose('に');
    await compose('にほ');
    release();
    await waitForHydration(page);
    await compose('にほん');
    await devtools.send('Input.insertText', { text: '日本' });
    await expect(field(page)).toHaveValue('日本');
    await page.keyboard.type('!');
    await sendButton(page).click();
    await expect(page.getByRole('listitem').getByText('日本!', { exact: true })).toHaveCount(1);
  });

  test('sent before hydration is posted once', async ({ page, signUp }) => {
    await openComposer(page, signUp);
    const navigations = recordNavigations(page);
    await field(page).fill('Sent without JavaScript');
    await sendButton(page).click();
    await expect(sentNotice(page)).toBeVisible();
    await expect(page.getByText('Sent without JavaScript', { exact: true })).toHaveCount(1);
    expect(navigations).toEqual(['POST /test-message', 'GET /test-message']);
  });

  test('typed before hydration is kept when a new version is loaded', async ({ page, signUp }) => {
    const release = await openComposer(page, signUp);
    await field(page).fill('Early and unsent');
    release();
    await waitForHydration(page);
    await page.route('/builds/latest.json?*', (route) =>
      route.fulfill({ json: { id: 'another', timestamp: 1 } }),
    );
    await page.clock.install();
    await page.clock.fastForward(120_000);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByRole('button', { name: t('newVersion.reload') }).click();
    await expect(page.getByText(t('newVersion.title'))).toBeHidden();
    await expect(field(page)).toHaveValue('Early and unsent');
  });
});

test('an option selected before hydration is kept, and takes effect after hydration', async ({ page }) => {
  const release = await holdClient(page);
  await page.goto(examplePath());
  const list = page.getByLabel(t('typography-demo:tester.weight.label'));
  await list.selectOption('700');
  release();
  await expect(page).toHaveURL(/weight=700/);
  await expect(list).toHaveValue('700');
});

test('focus, selection, open menus and the scroll position survive hydration', async ({ page }) => {
  const release = await holdClient(page);
  await page.goto(examplePath());
  await page.locator('summary').filter({ hasText: 'English' }).press('Enter');
  await page.getByRole('button', { name: 'Deutsch' }).focus();
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
  expect(before).toMatchObject({ focus: 'Deutsch', open: 1, scrollY: 40 });
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

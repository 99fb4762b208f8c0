/** What visitors do while the client is still on its way: nothing of it is lost, swallowed or done twice. */
import type { Page, Request } from '@playwright/test';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, test, waitForHydration } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

/** Keeps the client from arriving; gives the way to let it. */
async function holdClient(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/packages-.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** `GET /path` of every document and form that is sent from now on. */
function watchNavigations(page: Page): string[] {
  const seen: string[] = [];
  page.on('request', (request: Request) => {
    const isForm = request.method() === 'POST';
    if (!isForm && !request.isNavigationRequest()) return;
    seen.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return seen;
}

/** The page of messages, as somebody sees it who has just signed up, with the client held back. */
async function openComposer(page: Page, cloud: LocalCloud): Promise<() => void> {
  await page.goto('/auth/sign-up?returnTo=/typography-demo');
  await completeSignUp(page, cloud, 'early@example.com');
  const release = await holdClient(page);
  await page.goto('/test-message');
  return release;
}

const field = (page: Page) => page.getByLabel(t('test-message:compose.label'));
const send = (page: Page) => page.getByRole('button', { name: t('test-message:compose.send') });

const pageLink = (page: Page) =>
  page
    .getByRole('navigation', { name: t('nav.label') })
    .getByRole('link', { name: t('nav.pages.typography-demo') });

test.describe('the first click', () => {
  test('on a link leads to its page while the client is on its way', async ({ page }) => {
    await holdClient(page);
    await page.goto('/');
    const navigations = watchNavigations(page);
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
    expect(navigations).toEqual(['GET /typography-demo']);
  });

  test('on a button of a form sends it once, and the page comes back with its hash', async ({ page }) => {
    await holdClient(page);
    await page.goto('/typography-demo#families');
    const navigations = watchNavigations(page);
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page).toHaveURL('/typography-demo#families');
    expect(navigations).toEqual(['POST /preferences', 'GET /typography-demo']);
  });

  test('on a form that comes to nothing says so, also when the client has come', async ({ page, cloud }) => {
    const release = await openComposer(page, cloud);
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    await field(page).fill('Do not lose me');
    await send(page).click();
    await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
    release();
    await waitForHydration(page);
    await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
    await expect(field(page)).toHaveValue('Do not lose me');
    cloud.faults.set({});
    await send(page).click();
    await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
  });

  test('is answered once also when the client arrives while the next page is awaited', async ({ page }) => {
    const release = await holdClient(page);
    await page.goto('/');
    const navigations = watchNavigations(page);
    let answer = () => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('/typography-demo', async (route) => {
      await slow;
      await route.continue();
    });
    await pageLink(page).click({ noWaitAfter: true });
    await expect.poll(() => navigations).toEqual(['GET /typography-demo']);
    // Hydrated, it asks where its links lead; of itself the page says nothing while another is awaited.
    const discovery = page.waitForResponse(/\/__manifest\?/);
    release();
    await discovery;
    answer();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
    expect(navigations).toEqual(['GET /typography-demo']);
  });

  for (const key of ['Enter', 'Space'] as const) {
    test(`by ${key} works likewise`, async ({ page }) => {
      await holdClient(page);
      await page.goto('/');
      const target = key === 'Enter' ? pageLink(page) : page.getByRole('button', { name: t('theme.dark') });
      await target.press(key);
      if (key === 'Enter') await expect(page).toHaveURL('/typography-demo');
      else await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    });
  }

  test('after hydration stays on the document', async ({ page }) => {
    const release = await holdClient(page);
    await page.goto('/');
    await pageLink(page).hover();
    release();
    await waitForHydration(page);
    const navigations = watchNavigations(page);
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
    expect(navigations).toEqual([]);
  });
});

test.describe('text', () => {
  test('typed before, while and after the client arrives is all there, with the caret where it was', async ({
    page,
    cloud,
  }) => {
    const release = await openComposer(page, cloud);
    await field(page).focus();
    await page.keyboard.type('before, end');
    for (let back = 0; back < 'end'.length; back += 1) await page.keyboard.press('ArrowLeft');
    const whileItArrives = 'while it arrives, '.repeat(10);
    const typing = page.keyboard.type(whileItArrives, { delay: 5 });
    release();
    await typing;
    await waitForHydration(page);
    await page.keyboard.type('after, ');
    await expect(field(page)).toHaveValue(`before, ${whileItArrives}after, end`);
    await expect(field(page)).toBeFocused();
    await send(page).click();
    await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: 'after, end' })).toHaveCount(1);
  });

  test('that is being composed is not broken off', async ({ page, cloud }) => {
    const release = await openComposer(page, cloud);
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
    await send(page).click();
    await expect(page.getByRole('listitem').getByText('日本!', { exact: true })).toHaveCount(1);
  });

  test('sent before the client is there is posted once', async ({ page, cloud }) => {
    await openComposer(page, cloud);
    const navigations = watchNavigations(page);
    await field(page).fill('The browser’s own');
    await send(page).click();
    await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
    await expect(page.getByText('The browser’s own', { exact: true })).toHaveCount(1);
    expect(navigations).toEqual(['POST /test-message', 'GET /test-message']);
  });

  test('typed before the client is there is kept over a reload for a new version', async ({
    page,
    cloud,
  }) => {
    const release = await openComposer(page, cloud);
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

test('a choice from a list is kept, and shows its effect when the client is there', async ({ page }) => {
  const release = await holdClient(page);
  await page.goto('/typography-demo');
  const list = page.getByLabel(t('typography-demo:tester.weight.label'));
  await list.selectOption('700');
  release();
  await expect(page).toHaveURL(/weight=700/);
  await expect(list).toHaveValue('700');
});

test('focus, selection, open menus and the place on the page outlive hydration', async ({ page }) => {
  const release = await holdClient(page);
  await page.goto('/typography-demo');
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

test.describe('a client that never comes', () => {
  test.use({ expectedConsole: /Failed to fetch dynamically imported module|error loading dynamically/i });

  test('leaves the page to the browser', async ({ page }) => {
    await page.route(/\/assets\/packages-.*\.js$/, (route) => route.abort());
    await page.goto('/');
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await pageLink(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('typography-demo:title'));
  });
});

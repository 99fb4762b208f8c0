/** What a page that stays open loads, and what it does when the site changes under it. */
import type { Page, Request } from '@playwright/test';
import type { PageName } from '../../../app/pages.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const english = translationsOf('en');

/** Paths and queries of what the browser asks the site for, from now on. */
function watchRequests(page: Page, isWanted: (request: Request) => boolean = () => true): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (isWanted(request)) seen.push(pathname + search);
  });
  return seen;
}

const isPayload = (address: string) => address.includes('/_payload.json');
const isDocument = (request: Request) => request.isNavigationRequest();

/** Opens a page and wakes it, as a visitor does who begins to use it. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrate(page);
}

const pageLink = (page: Page, name: PageName) =>
  page
    .getByRole('navigation', { name: english('nav.label') })
    .getByRole('link', { name: english(`nav.pages.${name}`) });

async function switchTo(page: Page, ownName: string): Promise<void> {
  await page.locator('summary', { hasText: /English|Deutsch|Français/ }).click();
  await page.getByRole('button', { name: ownName }).click();
}

test.describe('words', () => {
  test('come with the document: hydration fetches none', async ({ page }) => {
    const requests = watchRequests(page);
    const warmedUp = page.waitForResponse(/\/builds\/meta\/\w+\.json$/);
    await open(page, '/typography-demo');
    const manifest = await warmedUp;
    expect(manifest.status()).toBe(200);
    expect(manifest.headers()['cache-control']).toContain('immutable');
    expect(requests.filter((address) => /payload|locales\/|\.data/.test(address))).toEqual([]);
    await expect(page.locator('meta[name="build-id"]')).toHaveAttribute(
      'content',
      (await manifest.json()).id,
    );
  });

  test('and code are there before a link is pressed, and are fetched once', async ({ page }) => {
    await open(page, '/');
    const requests = watchRequests(page);
    const payload = page.waitForResponse(/\/typography-demo\/_payload\.json\?\w+$/);
    const chunk = page.waitForResponse(/\/assets\/typography-demo-.*\.js$/);
    await pageLink(page, 'typography-demo').hover();
    expect((await payload).headers()['cache-control']).toContain('immutable');
    expect((await payload).headers()['set-cookie']).toBeUndefined();
    await chunk;
    await page.waitForLoadState('networkidle');
    const before = requests.length;

    await pageLink(page, 'typography-demo').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    await expect(page).toHaveTitle(`${english('typography-demo:title')} · Tenfold`);
    const ofThePage = (address: string) => /payload|\.data|\/assets\/.*\.js/.test(address);
    expect(requests.slice(before).filter(ofThePage)).toEqual([]);

    // Back to a page whose words came with the document, and here again: nothing is left to fetch.
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('home:title'));
    await page.goForward();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    expect(requests.slice(before).filter(ofThePage)).toEqual([]);
  });

  test('of another language are loaded on the switch to it, once, and the fallback’s too', async ({
    page,
  }) => {
    await open(page, '/de/typography-demo');
    const requests = watchRequests(page);
    await switchTo(page, 'Français');
    await expect(page).toHaveURL('/fr/typography-demo');
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr-FR');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      translationsOf('fr')('typography-demo:title'),
    );
    expect(
      requests
        .filter(isPayload)
        .map((address) => address.split('?')[0])
        .sort(),
    ).toEqual(['/fr/typography-demo/_payload.json', '/typography-demo/_payload.json']);
    const before = requests.length;
    await switchTo(page, 'Deutsch');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      translationsOf('de')('typography-demo:title'),
    );
    expect(requests.slice(before).filter(isPayload)).toEqual([]);
  });

  test.describe('that cannot be loaded', () => {
    test.use({ expectedConsole: /Failed to load messages for locale/ });

    test('are said in the fallback’s language', async ({ page }) => {
      await page.route(/\/fr\/.*_payload\.json/, (route) => route.fulfill({ status: 503 }));
      await open(page, '/de/typography-demo');
      await switchTo(page, 'Français');
      await expect(page).toHaveURL('/fr/typography-demo');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    });

    test('at all come with a document instead', async ({ page }) => {
      await page.route(/_payload\.json/, (route) => route.fulfill({ status: 200, body: 'not JSON' }));
      await open(page, '/');
      const documents = watchRequests(page, isDocument);
      await pageLink(page, 'typography-demo').click();
      await expect(page).toHaveURL('/typography-demo');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
      expect(documents).toEqual(['/typography-demo']);
    });
  });
});

test('an address without a page is answered by the server, with its status', async ({ page }) => {
  await open(page, '/');
  const response = page.waitForResponse('/nowhere');
  await page.evaluate(() => void window.__remixRouter.navigate('/nowhere'));
  expect((await response).status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('error.notFound.title'));
});

test.describe('scrolling', () => {
  /** Notes how the page was asked to move, and moves it. */
  async function watchScrolling(page: Page): Promise<() => Promise<(string | undefined)[]>> {
    await page.addInitScript(() => {
      const calls: (string | undefined)[] = [];
      Object.assign(window, { scrollCalls: calls });
      const { scrollTo } = window;
      window.scrollTo = (options?: ScrollToOptions | number) => {
        calls.push(typeof options === 'object' ? options.behavior : 'unsaid');
        if (typeof options === 'object') Reflect.apply(scrollTo, window, [options]);
      };
      const { scrollIntoView } = Element.prototype;
      Element.prototype.scrollIntoView = function (options) {
        calls.push(typeof options === 'object' ? options.behavior : 'unsaid');
        scrollIntoView.call(this, options);
      };
    });
    return () => page.evaluate(() => (window as unknown as { scrollCalls: string[] }).scrollCalls);
  }

  const scrollY = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

  test('is smooth to the top, and back where it was at once', async ({ page }) => {
    const calls = await watchScrolling(page);
    await open(page, '/typography-demo');
    expect(await calls(), 'a document’s first position is the browser’s').toEqual([]);
    await page.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
    await expect.poll(() => scrollY(page)).toBe(600);

    await pageLink(page, 'index').evaluate((link: HTMLElement) => link.click());
    await expect(page).toHaveURL('/');
    await expect.poll(() => scrollY(page)).toBe(0);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    await expect.poll(() => scrollY(page)).toBe(600);
    expect(await calls()).toEqual(['instant', 'smooth', 'instant']);

    await page.reload();
    await expect.poll(() => scrollY(page)).toBe(600);
  });

  test('is smooth to the target of a hash, however it is written', async ({ page }) => {
    const calls = await watchScrolling(page);
    await open(page, '/typography-demo#%E0%A4%A');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(english('typography-demo:title'));
    await page.evaluate(() => void window.__remixRouter.navigate('/#cookies'));
    await expect(page).toHaveURL('/#cookies');
    await expect(page.locator('#cookies')).toBeInViewport();
    expect(await calls()).toEqual(['smooth']);
  });

  test('stays where a navigation asks for that', async ({ page }) => {
    await open(page, '/typography-demo');
    await page.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
    await page.evaluate(
      () => void window.__remixRouter.navigate('/typography-demo?x', { preventScrollReset: true }),
    );
    await expect(page).toHaveURL('/typography-demo?x');
    expect(await scrollY(page)).toBe(600);
  });

  test.describe('for those who prefer less motion', () => {
    test.use({ contextOptions: { reducedMotion: 'reduce' } });

    test('is never smooth', async ({ page }) => {
      const calls = await watchScrolling(page);
      await open(page, '/typography-demo');
      await pageLink(page, 'index').click();
      await expect(page).toHaveURL('/');
      await expect.poll(calls).toEqual(['instant']);
    });
  });
});

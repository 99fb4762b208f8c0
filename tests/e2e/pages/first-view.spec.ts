/** The JavaScript that a page loads before any interaction, and the events that load the rest. */
import type { Page } from '@playwright/test';
import { defaultLocale, localizePath } from '../../../app/i18n/locales.ts';
import { payloadPathOf } from '../../../app/i18n/localized-page.ts';
import {
  examplePage,
  examplePath,
  formPath,
  isOnePage,
  mirrored,
  otherHome,
} from '../../support/this-site.ts';
import { expect, hydrate, test, waitForHydration } from '../support/fixtures.ts';
import { recordRequests } from '../support/recordings.ts';
import { navigationLink } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

/** Returns the names of the loaded scripts without their hashes. */
const loadedScripts = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => /\/assets\/(.+)-.{8}\.js$/.exec(name)?.[1])
      .filter((name) => name !== undefined),
  );

/** Opens a page, and waits for its last request without an interaction: that of the manifest, after a second. */
async function openFirstView(page: Page, path: string): Promise<void> {
  const manifest = page.waitForResponse(/\/builds\/meta\//);
  await page.goto(path);
  await (await manifest).finished();
}

for (const path of new Set(['/', formPath(), examplePath(), '/nowhere'])) {
  test(`${path} loads less than 5 kB of JavaScript`, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    const kinds = new Map<string, string>();
    let bytes = 0;
    devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (kinds.get(requestId) === 'Script') bytes += encodedDataLength;
    });
    await devtools.send('Network.enable');
    await openFirstView(page, path);
    const inline = await page.evaluate(() =>
      [...document.scripts].reduce((length, { text }) => length + text.length, 0),
    );
    expect(await loadedScripts(page)).toEqual(['entry.client']);
    expect(bytes, 'over the wire').toBeGreaterThan(0);
    expect(bytes, 'over the wire').toBeLessThan(5_000);
    expect(inline, 'in the document, mostly translations').toBeLessThan(20_000);
    await expect(page.locator('link[rel="modulepreload"]')).toHaveCount(0);
  });
}

test('all client-side code is less than 110 kB', async ({ page }) => {
  await page.goto('/');
  await hydrate(page);
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming)
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(110_000);
});

test.describe('the client-side code is loaded', () => {
  test.use({ hasTouch: true });

  const interactions: Record<string, (page: Page) => Promise<unknown>> = {
    'when a pointer moves over the page': (page) => page.mouse.move(5, 5),
    'when the page is touched': (page) => page.touchscreen.tap(5, 5),
    'when a key is pressed': (page) => page.keyboard.press('Shift'),
    'when an element receives the focus': (page) => page.locator('summary').first().focus(),
    'when a screen reader presses a button': (page) =>
      page
        .locator('summary')
        .first()
        .evaluate((summary: HTMLElement) => summary.click()),
  };
  for (const [name, interact] of Object.entries(interactions)) {
    test(name, async ({ page }) => {
      await openFirstView(page, otherHome);
      expect(await loadedScripts(page)).toEqual(['entry.client']);
      await interact(page);
      await waitForHydration(page);
      expect(await loadedScripts(page)).toContain('packages');
    });
  }

  test('not while the page is only scrolled', async ({ page }) => {
    // Every page is longer than this window.
    await page.setViewportSize({ width: 1280, height: 300 });
    await openFirstView(page, examplePath());
    const requests = recordRequests(page, (request) => !request.url().endsWith('.woff2'));
    await page.evaluate(async () => {
      const scrolled = new Promise((resolve) =>
        window.addEventListener('scrollend', resolve, { once: true }),
      );
      window.scrollTo({ top: 900, behavior: 'instant' });
      await scrolled;
      // A script that loads because of scrolling would be requested before this file.
      await (await fetch('/robots.txt')).text();
    });
    expect(requests).toEqual(['/robots.txt']);
  });

  test('at once on a page with unsaved text', async ({ page }) => {
    // A document of the same origin that does not request the manifest that openFirstView waits for.
    await page.goto('/robots.txt');
    await page.evaluate(() =>
      sessionStorage.setItem('unsaved-text', JSON.stringify({ path: '/', keptAt: Date.now(), fields: [] })),
    );
    await openFirstView(page, otherHome);
    expect(await loadedScripts(page), 'not for another page').toEqual(['entry.client']);
    await page.goto('/');
    await waitForHydration(page);
  });

  test('when the theme is changed in another tab, and the page follows', async ({ page, context }) => {
    await page.goto('/');
    const other = await context.newPage();
    await other.goto(localizePath('/', mirrored));
    await other.getByRole('button', { name: translationsOf(mirrored.code)('theme.dark') }).click();
    await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });
});

test('the stored theme is mirrored to local storage before hydration', async ({ page, context, site }) => {
  await context.addCookies([{ name: 'theme', value: 'dark', url: site.origin }]);
  await page.goto('/');
  await expect.poll(() => page.evaluate(() => localStorage.getItem('color-mode'))).toBe('dark');
  expect(await loadedScripts(page)).toEqual(['entry.client']);
});

test('the target of a link under the pointer is prefetched together with the client-side code', async ({
  page,
}) => {
  test.skip(isOnePage, 'the page has no link to another one');
  const payload = page.waitForResponse(`${payloadPathOf(examplePage, defaultLocale)}?*`);
  const code = page.waitForResponse(`/assets/${examplePage.namespace}-*.js`);
  await page.goto('/');
  await navigationLink(page, examplePage.name).hover();
  expect((await payload).status()).toBe(200);
  expect((await code).status()).toBe(200);
});

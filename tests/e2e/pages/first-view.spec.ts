/** What comes with a page before anyone has touched it, and what brings the rest. */
import type { Page } from '@playwright/test';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, hydrate, test, waitForHydration } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const english = translationsOf('en');

/** Names of the scripts that the page has asked for, without what differs from build to build. */
const scripts = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => /\/assets\/(.+)-.{8}\.js$/.exec(name)?.[1])
      .filter((name) => name !== undefined),
  );

for (const path of ['/', '/test-message', '/typography-demo', '/ar/typography-demo', '/nowhere']) {
  test(`${path} carries less than 5 kB of JavaScript`, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    const kinds = new Map<string, string>();
    let bytes = 0;
    devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (kinds.get(requestId) === 'Script') bytes += encodedDataLength;
    });
    await devtools.send('Network.enable');
    // The last that comes by itself.
    const warmedUp = page.waitForResponse(/\/builds\/meta\//);
    await page.goto(path);
    await (await warmedUp).finished();
    await page.waitForLoadState('networkidle');
    const inline = await page.evaluate(() =>
      [...document.scripts].reduce((length, { text }) => length + text.length, 0),
    );
    expect(await scripts(page)).toEqual(['entry.client']);
    expect(bytes, 'over the wire').toBeGreaterThan(0);
    expect(bytes, 'over the wire').toBeLessThan(5_000);
    expect(inline, 'in the document, most of it words').toBeLessThan(20_000);
    await expect(page.locator('link[rel="modulepreload"]')).toHaveCount(0);
  });
}

test('the whole client is less than 100 kB', async ({ page }) => {
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
  expect(bytes).toBeLessThan(100_000);
});

test.describe('the client comes', () => {
  test.use({ hasTouch: true });

  const signs: Record<string, (page: Page) => Promise<unknown>> = {
    'when a pointer moves over the page': (page) => page.mouse.move(5, 5),
    'when the page is touched': (page) => page.touchscreen.tap(5, 5),
    'when a key is pressed': (page) => page.keyboard.press('Shift'),
    'when something gets the focus': (page) => page.locator('summary').first().focus(),
    'when a screen reader presses a button': (page) =>
      page
        .locator('summary')
        .first()
        .evaluate((summary: HTMLElement) => summary.click()),
  };
  for (const [name, act] of Object.entries(signs)) {
    test(name, async ({ page }) => {
      await page.goto('/fr');
      await page.waitForLoadState('networkidle');
      expect(await scripts(page)).toEqual(['entry.client']);
      await act(page);
      await waitForHydration(page);
      expect(await scripts(page)).toContain('packages');
    });
  }

  test('not when the page is only read', async ({ page }) => {
    await page.goto('/typography-demo');
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => {
      const scrolled = new Promise((resolve) => window.addEventListener('scroll', resolve, { once: true }));
      window.scrollTo({ top: 900, behavior: 'instant' });
      return scrolled;
    });
    await page.waitForLoadState('networkidle');
    expect(await scripts(page)).toEqual(['entry.client']);
  });

  test('at once where text was put aside for the page', async ({ page }) => {
    await page.goto('/');
    await page.evaluate(() =>
      sessionStorage.setItem('unsaved-text', JSON.stringify({ path: '/', keptAt: Date.now(), fields: [] })),
    );
    await page.goto('/fr');
    await page.waitForLoadState('networkidle');
    expect(await scripts(page), 'not for another page').toEqual(['entry.client']);
    await page.goto('/');
    await waitForHydration(page);
  });

  test('at once where messages are shown, which say how old they are', async ({ page, cloud }) => {
    await page.goto('/auth/sign-up?returnTo=/test-message');
    await completeSignUp(page, cloud, 'reader@example.com');
    await page.getByLabel(english('test-message:compose.label')).fill('Just now');
    await page.getByRole('button', { name: english('test-message:compose.send') }).click();
    await expect(page.getByText(english('test-message:compose.sent'))).toBeVisible();
    await page.reload();
    await expect(page.locator('time[title]')).toHaveCount(1);
  });

  test('when a theme is chosen in another tab, and the page follows', async ({ page, context }) => {
    await page.goto('/');
    const other = await context.newPage();
    await other.goto('/ar');
    await other.getByRole('button', { name: translationsOf('ar')('theme.dark') }).click();
    await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });
});

test('the stored theme is mirrored before the client is there', async ({ page, context, site }) => {
  await context.addCookies([{ name: 'theme', value: 'dark', url: site.origin }]);
  await page.goto('/');
  await expect.poll(() => page.evaluate(() => localStorage.getItem('color-mode'))).toBe('dark');
  expect(await scripts(page)).toEqual(['entry.client']);
});

test('what is under the first pointer is made ready together with the client', async ({ page }) => {
  const payload = page.waitForResponse(/\/typography-demo\/_payload\.json/);
  const code = page.waitForResponse(/\/assets\/typography-demo-.*\.js$/);
  await page.goto('/');
  await page
    .getByRole('navigation', { name: english('nav.label') })
    .getByRole('link', { name: english('nav.pages.typography-demo') })
    .hover();
  expect((await payload).status()).toBe(200);
  expect((await code).status()).toBe(200);
});

test('a place scrolled to before the client was there is found again on the way back', async ({ page }) => {
  const scrollY = () => page.evaluate(() => Math.round(window.scrollY));
  await page.goto('/typography-demo');
  await page.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
  await expect.poll(scrollY).toBe(600);
  await hydrate(page);
  await page
    .getByRole('link', { name: english('nav.pages.index') })
    .first()
    .evaluate((link: HTMLElement) => link.click());
  await expect(page).toHaveURL('/');
  await expect.poll(scrollY).toBe(0);
  await page.goBack();
  await expect.poll(scrollY).toBe(600);
});

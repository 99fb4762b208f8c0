/** Icons from data, in a page of their own that asks the built site. */
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build } from 'vite';
import { expect, test } from '../support/fixtures.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
let script = '';

test.beforeAll(async () => {
  const output = await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '~': path('../../app') } },
    esbuild: { jsx: 'automatic' },
    build: {
      write: false,
      rollupOptions: { input: path('dynamic-icon-page.tsx'), output: { format: 'iife' } },
    },
  });
  const [built] = Array.isArray(output) ? output : [output];
  if (!built || !('output' in built)) throw new Error('The page of icons was not built.');
  script = built.output[0].code;
});

/** Opens the page of these icons; the addresses at which it asks for icons. */
async function open(
  page: Page,
  names: readonly string[],
  drawnByServer: readonly string[] = [],
): Promise<string[]> {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/icons/')) asked.push(pathname + search);
  });
  await page.route('/icons-page?*', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><meta charset="utf-8"><style>svg{width:1.15em;height:1.15em}</style><body><script>${script.replaceAll('</script', '<\\/script')}</script>`,
    }),
  );
  const query = new URLSearchParams([
    ...names.map((name) => ['name', name]),
    ...drawnByServer.map((name) => ['server', name]),
  ]);
  await page.goto(`/icons-page?${query}`);
  return asked;
}

/** Where the text behind the icons is. */
const end = (page: Page) => page.locator('span').boundingBox();

test.describe('icons that the browser loads', () => {
  test('come in one request, and nothing moves', async ({ page }) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('/api/icons/*', async (route) => {
      await held;
      await route.continue();
    });
    const asked = await open(page, [
      'lucide:globe',
      'lucide:check',
      'lucide:globe',
      'lucide:activity-square',
    ]);
    await expect(page.locator('svg')).toHaveCount(4);
    const before = await end(page);
    release();
    await expect(page.locator('svg:not(:empty)')).toHaveCount(4);
    await expect(page.locator('svg circle')).toHaveCount(2);
    expect(await end(page)).toEqual(before);
    expect(asked).toEqual(['/api/icons/lucide.json?icons=activity-square,check,globe']);
  });

  test.describe('and cannot have', () => {
    test.use({ expectedConsole: /^\[Icon\] failed to load icon `(lucide:no-such-icon|lucide:Broken)`$/ });

    test('leave their place empty and the others alone', async ({ page }) => {
      const warnings: string[] = [];
      page.on('console', (message) => warnings.push(message.text()));
      const asked = await open(page, ['lucide:no-such-icon', 'lucide:Broken', 'lucide:check']);
      await expect(page.locator('svg:not(:empty)')).toHaveCount(1);
      await expect(page.locator('svg')).toHaveCount(3);
      expect(asked).toEqual(['/api/icons/lucide.json?icons=check,no-such-icon']);
      expect(warnings.sort()).toEqual([
        '[Icon] failed to load icon `lucide:Broken`',
        '[Icon] failed to load icon `lucide:no-such-icon`',
      ]);
    });
  });
});

test('icons that the server drew are taken over as they stand, without a request', async ({ page }) => {
  const asked = await open(page, ['mdi:home', 'lucide:check', 'mdi:home'], ['mdi:home']);
  await expect(page.locator('svg:not(:empty)')).toHaveCount(3);
  const before = await page.evaluate(() => document.documentElement.dataset.before ?? '');
  const drawn = page.locator('svg:has(circle)');
  await expect(drawn).toHaveCount(2);
  for (const svg of await drawn.all()) {
    expect(await svg.getAttribute('viewBox')).toBe('0 0 16 16');
    expect(before).toContain(await svg.innerHTML());
  }
  expect(asked).toEqual(['/api/icons/lucide.json?icons=check']);
});

/** Icons that the browser loads at run time, in a test page on the built site's origin. */
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build } from 'vite';
import { expect, test } from '../support/fixtures.ts';
import { holdRequests, recordRequests } from '../support/recordings.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
let script = '';

test.beforeAll(async () => {
  const output = await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '~': path('../../../app') } },
    esbuild: { jsx: 'automatic' },
    build: {
      write: false,
      rollupOptions: { input: path('dynamic-icon-page.tsx'), output: { format: 'iife' } },
    },
  });
  const [built] = Array.isArray(output) ? output : [output];
  if (!built || !('output' in built)) throw new Error('The test page was not built');
  script = built.output[0].code;
});

/** Opens the test page with these icons and returns the paths of its icon requests. */
async function open(
  page: Page,
  names: readonly string[],
  serverRendered: readonly string[] = [],
): Promise<string[]> {
  const requests = recordRequests(page, (request) =>
    new URL(request.url()).pathname.startsWith('/api/icons/'),
  );
  await page.route('/icons-page?*', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><meta charset="utf-8"><style>svg{width:1.15em;height:1.15em}</style><body><script>${script.replaceAll('</script', '<\\/script')}</script>`,
    }),
  );
  const query = new URLSearchParams([
    ...names.map((name) => ['name', name]),
    ...serverRendered.map((name) => ['server', name]),
  ]);
  await page.goto(`/icons-page?${query}`);
  return requests;
}

/** The position of the text after the icons. */
const textPosition = (page: Page) => page.locator('span').boundingBox();

test.describe('icons that the browser loads', () => {
  test.use({ expectedConsole: /^\[Icon\] failed to load icon/ });

  test('come with one request, without a layout shift, and those that do not exist stay empty', async ({
    page,
  }) => {
    const warnings: string[] = [];
    page.on('console', (message) => warnings.push(message.text()));
    const release = await holdRequests(page, '/api/icons/*');
    const names = ['globe', 'check', 'globe', 'activity-square', 'no-such-icon', 'Broken'];
    const requests = await open(
      page,
      names.map((name) => `lucide:${name}`),
    );
    await expect(page.locator('svg')).toHaveCount(6);
    const before = await textPosition(page);
    release();
    await expect(page.locator('svg:not(:empty)')).toHaveCount(4);
    await expect(page.locator('svg')).toHaveCount(6);
    await expect(page.locator('svg circle')).toHaveCount(2);
    expect(await textPosition(page)).toEqual(before);
    expect(requests).toEqual(['/api/icons/lucide.json?icons=activity-square,check,globe,no-such-icon']);
    await expect
      .poll(() => warnings.sort())
      .toEqual([
        '[Icon] failed to load icon `lucide:Broken`',
        '[Icon] failed to load icon `lucide:no-such-icon`',
      ]);
  });
});

test('icons that the server rendered are hydrated without a request', async ({ page }) => {
  const requests = await open(page, ['mdi:home', 'lucide:check', 'mdi:home'], ['mdi:home']);
  await expect(page.locator('svg:not(:empty)')).toHaveCount(3);
  const before = await page.evaluate(() => document.documentElement.dataset.before ?? '');
  const serverRendered = page.locator('svg:has(circle)');
  await expect(serverRendered).toHaveCount(2);
  for (const svg of await serverRendered.all()) {
    expect(await svg.getAttribute('viewBox')).toBe('0 0 16 16');
    expect(before).toContain(await svg.innerHTML());
  }
  expect(requests).toEqual(['/api/icons/lucide.json?icons=check']);
});

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
      rollupOptions: {
        input: path('dynamic-icon-page.tsx'),
        output: { format: 'iife', inlineDynamicImports: true },
      },
    },
  });
  // Vite sets it for this process, which runs other tests too.
  Reflect.deleteProperty(process.env, 'NODE_ENV');
  const [built] = Array.isArray(output) ? output : [output];
  if (!built || !('output' in built)) throw new Error('The test page was not built');
  script = built.output[0].code;
});

/** Opens the test page with these icons and returns the paths of its icon requests. */
async function open(
  page: Page,
  names: readonly string[],
  prepared: readonly string[] = [],
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
    ...prepared.map((name) => ['prepared', name]),
  ]);
  await page.goto(`/icons-page?${query}`);
  return requests;
}

/** The position of the text after the icons. */
const textPosition = (page: Page) => page.locator('span').boundingBox();

/** The warnings of a page from now on, sorted. */
function recordWarnings(page: Page): () => string[] {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  return () => warnings.sort();
}

const warning = (name: string) => `[Icon] failed to load icon \`${name}\``;

test.describe('icons that the browser loads', () => {
  test.use({ expectedConsole: /^\[Icon\] failed to load icon|status of (404|503)/ });

  test('come with one request, without a layout shift, and those that do not exist stay empty', async ({
    page,
  }) => {
    const warnings = recordWarnings(page);
    const release = await holdRequests(page, '/api/icons/*');
    const names = ['globe', 'check', 'globe', 'activity-square', 'no-such-icon', 'constructor', 'Broken'];
    const requests = await open(
      page,
      names.map((name) => `lucide:${name}`),
    );
    await expect(page.locator('svg')).toHaveCount(7);
    const before = await textPosition(page);
    release();
    await expect(page.locator('svg:not(:empty)')).toHaveCount(4);
    await expect(page.locator('svg')).toHaveCount(7);
    await expect(page.locator('svg circle')).toHaveCount(2);
    expect(await textPosition(page)).toEqual(before);
    expect(requests).toEqual([
      '/api/icons/lucide.json?icons=activity-square,check,constructor,globe,no-such-icon',
    ]);
    await expect
      .poll(warnings)
      .toEqual(['lucide:Broken', 'lucide:constructor', 'lucide:no-such-icon'].map(warning));
  });

  test('are requested at addresses shorter than 500 characters', async ({ page, site }) => {
    // Short names, so that an escaped comma would make an address too long.
    const names = Array.from({ length: 200 }, (_, index) => `no-${index}`);
    const requests = await open(
      page,
      names.map((name) => `lucide:${name}`),
    );
    const requested = () => requests.flatMap((path) => path.split('=')[1]?.split(',') ?? []);
    await expect.poll(requested).toHaveLength(200);
    expect(requested().sort()).toEqual(names.sort());
    expect(requests).toHaveLength(3);
    for (const path of requests) expect(site.origin.length + path.length).toBeLessThan(500);
  });

  test('stay empty after 404 and 503, each after one request', async ({ page }) => {
    const warnings = recordWarnings(page);
    await page.route('/api/icons/none.json?*', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.route('/api/icons/broken.json?*', (route) => route.fulfill({ status: 503, body: '{}' }));
    const requests = await open(page, ['none:a', 'broken:a', 'lucide:check']);
    await expect(page.locator('svg:not(:empty)')).toHaveCount(1);
    await expect.poll(warnings).toEqual(['broken:a', 'none:a'].map(warning));
    expect(requests.sort()).toEqual([
      '/api/icons/broken.json?icons=a',
      '/api/icons/lucide.json?icons=check',
      '/api/icons/none.json?icons=a',
    ]);
  });

  test('stay empty without a response within 5 s', async ({ page }) => {
    const warnings = recordWarnings(page);
    await page.clock.install({ time: 0 });
    // From now on time passes only in `runFor`.
    await page.clock.pauseAt(1000);
    const release = await holdRequests(page, '/api/icons/*');
    const requests = await open(page, ['lucide:check']);
    await page.clock.runFor(100);
    await expect.poll(() => requests).toHaveLength(1);
    await page.clock.runFor(750 + 4800);
    expect(warnings()).toEqual([]);
    await page.clock.runFor(200);
    await expect.poll(warnings).toEqual([warning('lucide:check')]);
    release();
  });
});

test('icons that the server has drawn are hydrated without a request', async ({ page }) => {
  const requests = await open(page, ['mdi:home', 'lucide:check', 'mdi:home'], ['mdi:home']);
  await expect(page.locator('svg:not(:empty)')).toHaveCount(3);
  const before = await page.evaluate(() => document.documentElement.dataset.before ?? '');
  const drawn = page.locator('svg:has(circle)');
  await expect(drawn).toHaveCount(2);
  for (const svg of await drawn.all()) {
    expect(await svg.getAttribute('viewBox')).toBe('0 0 16 16');
    expect(before).toContain(await svg.innerHTML());
  }
  expect(requests).toEqual(['/api/icons/lucide.json?icons=check']);
});

/** The icon beside the sample text of the typography page. */
import type { Page } from '@playwright/test';
import { expect, test } from '../../support/fixtures.ts';
import { recordPolicyViolations, recordRequests } from '../../support/recordings.ts';
import { openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');
const sample = (page: Page) => page.getByRole('textbox', { name: t('typography-demo:tester.sampleLabel') });
/** The icon before the text. */
const icon = (page: Page) => page.locator('span:has(+ textarea) svg');
const choose = (page: Page, option: 'heart' | 'none' | 'star') =>
  page.getByLabel(t('typography-demo:tester.icon.label')).selectOption(option);
const recordIconRequests = (page: Page) =>
  recordRequests(page, (request) => /\/api\/icons\/|browser-icons/.test(request.url()));

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a button shows the icon, which is in the document', async ({ page }) => {
    const requests = recordIconRequests(page);
    await page.goto('/typography-demo');
    await expect(icon(page)).toHaveCount(0);
    await choose(page, 'heart');
    await page.getByRole('button', { name: t('typography-demo:tester.apply') }).click();
    await expect(page).toHaveURL(/icon=heart/);
    await expect(icon(page).locator('path')).toBeVisible();
    expect(requests).toEqual([]);
  });
});

test('an icon that is chosen is loaded with one request, and under the policy', async ({ page, context }) => {
  const violations = await recordPolicyViolations(context);
  const requests = recordIconRequests(page);
  await openHydrated(page, '/typography-demo');
  expect(requests, 'before a choice').toEqual([]);
  await choose(page, 'heart');
  await expect(icon(page).locator('path')).toBeVisible();
  await expect(page).toHaveURL(/icon=heart/);
  await choose(page, 'none');
  await expect(icon(page)).toHaveCount(0);
  await choose(page, 'heart');
  await expect(icon(page).locator('path')).toBeVisible();
  expect(requests).toEqual([
    expect.stringMatching(/^\/assets\/browser-icons-/),
    '/api/icons/lucide.json?icons=heart',
  ]);
  expect(violations).toEqual([]);
  const stored = await page.evaluate(() => Object.values({ ...localStorage, ...sessionStorage }).join());
  expect(stored, 'no icon is stored').not.toContain('<path');
});

test('an icon of the address is in the document, and another is loaded', async ({ page }) => {
  const requests = recordIconRequests(page);
  await openHydrated(page, '/typography-demo?icon=heart&size=32&weight=700');
  expect((await icon(page).boundingBox())?.height).toBeCloseTo(32 * 1.15, 1);
  await expect(icon(page).locator('path')).toHaveCSS('stroke-width', '3px');
  expect(requests).toEqual([]);
  await choose(page, 'star');
  await expect.poll(() => requests.at(-1)).toBe('/api/icons/lucide.json?icons=star');
});

test.describe('when icons cannot be loaded', () => {
  test.use({ expectedConsole: /^\[Icon\] failed to load icon|status of 503/ });

  test('the page stays usable, and shows the icon after a reload', async ({ page }) => {
    await page.route('/api/icons/*', (route) => route.fulfill({ status: 503, body: '{}' }));
    await openHydrated(page, '/typography-demo');
    const warning = page.waitForEvent('console', (message) => message.text().startsWith('[Icon]'));
    await choose(page, 'heart');
    await warning;
    await expect(icon(page)).toBeEmpty();
    await page.getByLabel(t('typography-demo:tester.size.label')).selectOption('32');
    await expect(sample(page)).toHaveCSS('font-size', '32px');
    await page.reload();
    await expect(icon(page).locator('path')).toBeVisible();
  });
});

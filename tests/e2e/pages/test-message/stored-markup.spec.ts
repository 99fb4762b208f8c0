/** Markup in the texts that users store is shown as text and does nothing. */
import { pageNamed } from '../../../../app/pages.ts';
import { INJECTED_MARKUP } from '../../../routes/pages/test-message/injected-markup.ts';
import { freePort, type Site, startSite } from '../../../support/processes/site.ts';
import { examplePage, forThisSite } from '../../../support/this-site.ts';
import { startUnfilteredCloud, type UnfilteredCloud } from '../../../support/upstreams/unfiltered-cloud.ts';
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { navigationLink } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');
let cloud: UnfilteredCloud;
let site: Site;

test.beforeAll(async () => {
  cloud = await startUnfilteredCloud({
    name: INJECTED_MARKUP,
    email: 'ada@example.com',
    messages: [INJECTED_MARKUP, `second ${INJECTED_MARKUP}`],
  });
  site = await startSite(await freePort(), cloud.environment);
});
test.afterAll(async () => {
  await site.stop();
  await cloud.close();
});

// threat-model: T-052
test('markup in a name and in messages is shown as text and runs no script', async ({ page, context }) => {
  const problems: string[] = [];
  page.on('dialog', (dialog) => {
    problems.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // The browser reports every 404.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/x') problems.push(request.url());
  });
  const { origin } = site;
  // The scripted hosted login has no page. Only the authorization URL matters.
  await page.goto(`${origin}/auth/sign-in?returnTo=/test-message`);
  problems.length = 0;
  await page.goto(origin + cloud.signIn(new URL(page.url())));
  await expect(page).toHaveURL(`${origin}/test-message`);

  const message = page.getByRole('listitem').filter({ hasText: 'second ' }).locator('p').first();
  await expect(message).toHaveText(`second ${INJECTED_MARKUP}`.replace(/\s+/g, ' '));
  await expect(page.locator('summary').filter({ hasText: '</script>' }).first()).toBeAttached();

  // Pages of client-side navigations first, then documents.
  await waitForHydration(page);
  for (const { name, slug, namespace } of [examplePage, pageNamed('test-message')]) {
    await navigationLink(page, name).click();
    await expect(page).toHaveURL(`${origin}/${slug}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${namespace}:title`));
  }
  for (const path of forThisSite(['/', '/ar', '/ja/typography-demo', '/nowhere', '/fr/test-message'])) {
    await page.goto(origin + path);
    await expect(page.getByRole('banner')).toContainText('</script><script>window.ran=1</script>');
  }
  await page.goto(`${origin}/test-message`);
  await waitForHydration(page);
  await page
    .getByRole('button', { name: new RegExp(t('test-message:list.delete')) })
    .last()
    .click();
  await expect(page.getByText(t('test-message:list.deleted'))).toBeVisible();

  expect(await page.locator('img[src="x"], iframe, svg[onload]').count()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, 'ran'))).toBeUndefined();
  expect(problems).toEqual([]);
});

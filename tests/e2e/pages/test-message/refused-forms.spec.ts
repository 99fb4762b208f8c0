/** The form of the test message page, and the controls of every page, when the server or the network refuses them. */
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { defaultLocale, type Locale, localizePath } from '../../../../app/i18n/locales.ts';
import { shippedQuery } from '../../../support/http/shipped-operations.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { mirrored } from '../../../support/this-site.ts';
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';

/** The limits are those of RATE_LIMIT_SCALE: two requests of the sign-in, twelve operations, one preference. */
const OPERATIONS = 12;
test.use({ siteEnvironment: { RATE_LIMIT_SCALE: '0.02' } });

const composer = (page: Page) => page.locator('main form:has(textarea)');
const field = (page: Page) => composer(page).locator('textarea');
const send = (page: Page) => composer(page).getByRole('button');

/** How a text begins before the number or the time that it names. */
const beginning = (text: string) => text.split('{{')[0] ?? '';

/** Sends more operations of the visitor's session than its limit allows. */
async function exhaustOperations(visitor: SiteVisitor): Promise<void> {
  const body = JSON.stringify(shippedQuery);
  const headers = { 'content-type': 'application/json' };
  const request = () => visitor.request('/api/graphql', { method: 'POST', headers, body });
  await Promise.all(Array.from({ length: 2 * OPERATIONS }, request));
}

/** A page of the same visitor in a browser without JavaScript. */
async function openWithoutScripts(browser: Browser, context: BrowserContext, origin: string): Promise<Page> {
  const other = await browser.newContext({ javaScriptEnabled: false, baseURL: origin });
  await other.addCookies(await context.cookies());
  return other.newPage();
}

const locales: readonly Locale[] = [defaultLocale, mirrored];

test('a refused message stays in its field, and the reason stands beside it', async ({
  page,
  context,
  browser,
  site,
  signUp,
}) => {
  const visitor = await signUp('refused@example.com');
  const plain = await openWithoutScripts(browser, context, site.origin);
  for (const locale of locales) {
    const t = translationsOf(locale.code);
    const path = localizePath('/test-message', locale);
    await expect(async () => {
      await page.goto(path);
      await waitForHydration(page);
      await expect(field(page)).toBeVisible();
    }).toPass();

    const tooLarge = 'Too much to send. '.repeat(4000);
    await field(page).fill(tooLarge);
    await send(page).click();
    await expect(composer(page).getByRole('alert')).toContainText(
      beginning(t('test-message:error.too-long_other')),
    );
    await expect(field(page)).toHaveValue(tooLarge);

    await context.setOffline(true);
    await field(page).fill('kept without a network');
    await send(page).click();
    await expect(composer(page).getByRole('alert')).toContainText(t('form.error.offline'));
    await expect(field(page)).toHaveValue('kept without a network');
    await context.setOffline(false);

    for (const tab of [page, plain]) {
      if (tab === plain) await tab.goto(path);
      // The limit allows one more operation every few seconds. It may be that of the form.
      await expect(async () => {
        await field(tab).fill('kept beyond the limit');
        await exhaustOperations(visitor);
        await send(tab).click();
        await expect(composer(tab).getByRole('alert')).toContainText(
          beginning(t('form.wait.too-many-requests')),
          { timeout: 10_000 },
        );
      }).toPass();
      await expect(composer(tab).getByRole('alert')).not.toContainText('{{');
      await expect(field(tab)).toHaveValue('kept beyond the limit');
    }
  }
  await plain.context().close();
});

test('a preference that is refused leaves the page as it is, and says why', async ({ page, context }) => {
  for (const locale of locales) {
    const t = translationsOf(locale.code);
    await page.goto(localizePath('/', locale));
    await page.mouse.move(5, 5);
    await waitForHydration(page);
    await page.waitForFunction(() => 'preferences' in window.__remixManifest.routes);
    const theme = (name: string) => page.locator(`button[name="theme"][value="${name}"]:visible`);
    const notice = page.getByRole('alert').filter({ hasText: t('form.notSaved') });

    await context.setOffline(true);
    await theme('dark').click();
    await expect(notice).toContainText(t('form.error.offline'));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
    await notice.getByRole('button').click();
    await expect(notice).toHaveCount(0);

    await page.locator('header details > summary:visible').first().click();
    await page.locator('header button[name="locale"][value="de"]').click();
    await expect(notice).toContainText(t('form.error.offline'));
    await context.setOffline(false);

    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await theme('light').click();
    await answered;
    await theme('dark').click();
    await expect(notice).toContainText(beginning(t('form.wait.too-many-requests')));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
  }
});

/** Client-side navigation: what it loads and prefetches, and where it scrolls. */

import type { Page } from '@playwright/test';
import { defaultLocale, type Locale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { payloadPathOf } from '../../../app/i18n/localized-page.ts';
import { siteName } from '../../../app/site-name.ts';
import {
  another,
  examplePage,
  examplePath,
  hasPage,
  isOnePage,
  mirrored,
  other,
} from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { isDocumentRequest, recordRequests, recordScrolling } from '../support/recordings.ts';
import { navigationLink, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

async function switchLanguage(page: Page, from: Locale, to: Locale): Promise<void> {
  await page.locator('summary', { hasText: from.ownName }).click();
  await page.getByRole('button', { name: to.ownName, exact: true }).click();
}

test.describe('translations', () => {
  test('are part of the document: hydration requests none', async ({ page }) => {
    const requests = recordRequests(page);
    const manifest = page.waitForResponse(/\/builds\/meta\/\w+\.json$/);
    await openHydrated(page, examplePath());
    await manifest;
    expect(requests.filter((path) => /payload|locales\/|\.data/.test(path))).toEqual([]);
  });

  test('and code are prefetched when the pointer is on a link, and loaded once', async ({ page }) => {
    test.skip(isOnePage, 'the page has no link to another one');
    await openHydrated(page, '/');
    const requests = recordRequests(page);
    const payload = page.waitForResponse(`${payloadPathOf(examplePage, defaultLocale)}?*`);
    const chunk = page.waitForResponse(`/assets/${examplePage.namespace}-*.js`);
    await navigationLink(page, examplePage.name).hover();
    await Promise.all([(await payload).finished(), (await chunk).finished()]);
    const before = requests.length;

    await navigationLink(page, examplePage.name).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    await expect(page).toHaveTitle(`${t(`${examplePage.namespace}:title`)} · ${siteName}`);
    const isPageResource = (path: string) =>
      path === examplePath() || /payload|\.data|\/assets\/.*\.js/.test(path);
    expect(requests.slice(before).filter(isPageResource)).toEqual([]);

    // Going back and forward requests nothing: both pages have their messages.
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
    await page.goForward();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    expect(requests.slice(before).filter(isPageResource)).toEqual([]);
  });

  test.describe('that cannot be loaded', () => {
    test.use({ expectedConsole: /Failed to load translations for locale/ });

    test('in another language are logged, and the document has them', async ({ page }) => {
      test.skip(locales.length === 1, 'there is no other language');
      const from = another === other ? defaultLocale : another;
      await page.route(`${payloadPathOf(examplePage, other)}?*`, (route) => route.fulfill({ status: 503 }));
      // Ten seconds do not pass between the failures.
      await page.clock.setFixedTime(Date.now());
      await openHydrated(page, examplePath(from));
      const logged = page.waitForEvent('console', (message) =>
        message.text().includes(`Failed to load translations for locale "${other.code}"`),
      );
      const title = translationsOf(other.code)(`${examplePage.namespace}:title`);
      await switchLanguage(page, from, other);
      await logged;
      await expect(page).toHaveURL(examplePath(other));
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
      await expect(page.locator('html')).toHaveAttribute('lang', other.iso);

      // A second failure within moments is an error page, in the language that the visitor read.
      await openHydrated(page, examplePath(from));
      await switchLanguage(page, from, other);
      await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(title);
      await expect(page.getByRole('link', { name: translationsOf(from.code)('error.home') })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('lang', from.iso);
    });

    test('in any language are loaded with a new document', async ({ page }) => {
      test.skip(isOnePage, 'the page has no link to another one');
      await page.route(/_payload\.json/, (route) => route.fulfill({ status: 200, body: 'not JSON' }));
      await openHydrated(page, '/');
      const documents = recordRequests(page, isDocumentRequest);
      await navigationLink(page, examplePage.name).click();
      await expect(page).toHaveURL(examplePath());
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
      expect(documents).toEqual([examplePath()]);
    });
  });
});

test('a navigation to a path without a page loads the error page from the server', async ({ page }) => {
  await openHydrated(page, '/');
  const response = page.waitForResponse('/nowhere');
  await page.evaluate(() => void window.__remixRouter.navigate('/nowhere'));
  expect((await response).status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('error.404.title'));
});

test.describe('scrolling', () => {
  test.skip(isOnePage, 'the page has no link to another one');

  const scrollY = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

  test('is smooth to the top, and instant when a position from before hydration is restored', async ({
    page,
  }) => {
    const calls = await recordScrolling(page);
    await page.goto(examplePath());
    await page.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
    await expect.poll(() => scrollY(page)).toBe(600);
    await hydrate(page);
    expect(await calls(), 'the browser sets the first position of a document').toEqual(['instant']);
    expect(await scrollY(page)).toBe(600);

    await navigationLink(page, 'index').evaluate((link: HTMLElement) => link.click());
    await expect(page).toHaveURL('/');
    await expect.poll(() => scrollY(page)).toBe(0);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t(`${examplePage.namespace}:title`));
    await expect.poll(() => scrollY(page)).toBe(600);
    await expect.poll(calls).toEqual(['instant', 'smooth', 'instant']);

    await page.reload();
    await expect.poll(() => scrollY(page)).toBe(600);
  });

  for (const locale of [defaultLocale, mirrored]) {
    test(`by links within a page and the history is the browser’s, in ${locale.code}`, async ({ page }) => {
      test.skip(!hasPage('typography-demo'), 'the examples are on the page for typography');
      const translated = translationsOf(locale.code);
      const path = localizePath('/typography-demo', locale);
      const title = page.getByRole('heading', { level: 1 });
      const topOf = (id: string) =>
        page.evaluate(
          (name) => Math.round(document.getElementById(name)?.getBoundingClientRect().top ?? -1),
          id,
        );
      const isInWindow = (id: string) =>
        expect.poll(() => topOf(id).then((top) => top >= 0 && top < 720)).toBe(true);
      await openHydrated(page, path);

      const mark = page.locator('#footnote-mark');
      await mark.scrollIntoViewIfNeeded();
      const atMark = await scrollY(page);
      expect(atMark).toBeGreaterThan(0);
      await mark.click();
      await expect(page).toHaveURL(`${path}#footnote`);
      await isInWindow('footnote');
      const atFootnote = await scrollY(page);
      expect(atFootnote).toBeGreaterThan(atMark);
      await page.locator('#footnote a').click();
      await expect(page).toHaveURL(`${path}#footnote-mark`);
      await isInWindow('footnote-mark');
      const backAtMark = await scrollY(page);
      expect(backAtMark).toBeGreaterThan(0);

      await page.goBack();
      await expect.poll(() => scrollY(page)).toBe(atFootnote);
      await page.goBack();
      await expect(page).toHaveURL(path);
      await expect.poll(() => scrollY(page)).toBe(atMark);
      await page.goForward();
      await expect.poll(() => scrollY(page)).toBe(atFootnote);

      await page.reload();
      await expect.poll(() => scrollY(page)).toBe(atFootnote);
      await hydrate(page);
      await navigationLink(page, 'index', locale).evaluate((link: HTMLElement) => link.click());
      await expect(title).toHaveText(translated('home:title'));
      await expect.poll(() => scrollY(page)).toBe(0);
      await page.goBack();
      await expect(page).toHaveURL(`${path}#footnote`);
      await expect.poll(() => scrollY(page)).toBe(atFootnote);
      await page.goBack();
      await expect.poll(() => scrollY(page)).toBe(atMark);

      // The hash of another page, by a link that the browser follows.
      await page.goto(localizePath('/', locale));
      await page.evaluate((href) => {
        document.body.insertAdjacentHTML('beforeend', `<a id="elsewhere" href="${href}">…</a>`);
      }, `${path}#footnote`);
      await page.locator('#elsewhere').click();
      await expect(title).toHaveText(translated('typography-demo:title'));
      await isInWindow('footnote');
      await page.goBack();
      await expect(title).toHaveText(translated('home:title'));
    });
  }

  test('does not happen when a navigation prevents it', async ({ page }) => {
    const calls = await recordScrolling(page);
    await openHydrated(page, examplePath());
    await page.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
    await page.evaluate(
      (address) => void window.__remixRouter.navigate(address, { preventScrollReset: true }),
      `${examplePath()}?x`,
    );
    await expect(page.locator('input[name="returnTo"]').first()).toHaveValue(`${examplePath()}?x`);
    expect(await calls(), 'that of the test alone').toEqual(['instant']);
    expect(await scrollY(page)).toBe(600);
  });

  test.describe('with reduced motion', () => {
    test.use({ contextOptions: { reducedMotion: 'reduce' } });

    test('is never smooth', async ({ page }) => {
      const calls = await recordScrolling(page);
      await openHydrated(page, examplePath());
      await navigationLink(page, 'index').click();
      await expect(page).toHaveURL('/');
      await expect.poll(calls).toEqual(['instant']);
    });
  });
});

/** Pages that a browser has translated, and pages with elements of extensions: before hydration and after. */
import type { Page } from '@playwright/test';
import { defaultLocale, localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { examplePage, examplePath, hasPage, mirrored } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { missingPath } from '../support/page-states.ts';
import { navigationLink, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const paths = [...openPages.map(({ slug }) => `/${slug}`), missingPath(defaultLocale)];

test.beforeEach(({ page }) =>
  page.addInitScript((fault) => {
    /** Replaces each text as Google's translator does. */
    const translate = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
        node.parentElement?.closest('script, style, textarea, option, font, svg')
          ? NodeFilter.FILTER_REJECT
          : NodeFilter.FILTER_ACCEPT,
      );
      const texts: Node[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode);
      for (const text of texts) {
        const [outer, inner] = [document.createElement('font'), document.createElement('font')];
        inner.textContent = text.textContent;
        outer.append(inner);
        text.parentNode?.replaceChild(outer, text);
      }
    };
    const addForeignElements = () => {
      for (const parent of [document.documentElement, document.head, document.body]) {
        const create = () => document.createElement(parent === document.head ? 'meta' : 'div');
        parent.prepend(Object.assign(create(), { id: `first-${parent.localName}` }));
        parent.append(Object.assign(create(), { id: `last-${parent.localName}` }));
      }
      document
        .querySelector('link[rel="stylesheet"]')
        ?.after(Object.assign(document.createElement('meta'), { id: 'sheet' }));
    };
    const isIdle = () => {
      const { navigation, fetchers } = window.__remixRouter.state;
      return navigation.state === 'idle' && [...fetchers.values()].every(({ state }) => state === 'idle');
    };
    const settle = async () => {
      do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      while (!isIdle());
    };
    const keyOf = (control: HTMLElement) =>
      ['name', 'value', 'href', 'aria-label', 'class'].map((name) => control.getAttribute(name)).join();
    /** Uses each visible control once, on a page whose texts are replaced before. Returns the number, and what failed. */
    const tryControls = async () => {
      const { pathname } = location;
      const used = new Set<string>();
      const next = () => {
        // The menu of the languages closes with each choice.
        document.querySelector('details')?.setAttribute('open', '');
        const controls = document.querySelectorAll<HTMLElement>(
          'button, summary, select, a[href^="/"], a[href^="#"]',
        );
        return [...controls].find(
          (control) =>
            control.checkVisibility() &&
            !control.closest('[rel~="nofollow"], [href$=".txt"], [action^="/auth"]') &&
            !used.has(keyOf(control)),
        );
      };
      for (let control = next(); control; control = next()) {
        used.add(keyOf(control));
        const { outerHTML } = control;
        translate();
        if (control instanceof HTMLSelectElement) {
          control.selectedIndex = control.options.length - 1;
          control.dispatchEvent(new Event('change', { bubbles: true }));
        } else control.click();
        await settle();
        translate();
        await settle();
        if (document.querySelector('h1')?.textContent === fault)
          return { count: used.size, failed: outerHTML };
        if (location.pathname !== pathname) await window.__remixRouter.navigate(pathname);
        await settle();
      }
      return { count: used.size };
    };
    Object.assign(window, { translate, addForeignElements, tryControls });
  }, t('error.browser.title')),
);

/** Calls a function of the script above. */
const call = (page: Page, name: string): Promise<{ count: number; failed?: string }> =>
  page.evaluate(async (key) => Reflect.get(window, key)(), name);

test('every control works on a translated page with elements of extensions', async ({ page }) => {
  for (const { slug } of openPages) {
    await page.goto(`/${slug}`);
    await call(page, 'addForeignElements');
    await hydrate(page);
    const { count, failed } = await call(page, 'tryControls');
    expect(failed, slug).toBeUndefined();
    expect(count, slug).toBeGreaterThan(10);
  }
});

test('a message is posted once on a translated page', async ({ page, cloud, signUp }) => {
  test.skip(!hasPage('test-message'), 'the site has no page with messages');
  await signUp('translated@example.com');
  await openHydrated(page, '/test-message');
  await call(page, 'addForeignElements');
  const field = page.locator('textarea');
  for (const text of ['one', 'two']) {
    await call(page, 'translate');
    await field.fill(text);
    await call(page, 'translate');
    await page.locator('main form button').first().click();
    await expect(page.getByRole('listitem').filter({ hasText: text })).toBeVisible();
    await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
  }
  expect(cloud.faults.calls.graphql?.CreateMessage).toBe(2);
  expect((await call(page, 'tryControls')).failed).toBeUndefined();
  await expect(field).toBeVisible();
});

test('hydration keeps the document, its focus and the elements of extensions', async ({ page }) => {
  for (const path of [...paths, localizePath(`/${examplePage.slug}`, mirrored)]) {
    await page.goto(path);
    await call(page, 'addForeignElements');
    await page.evaluate(() => {
      const link =
        document.querySelector<HTMLElement>('main a') ?? document.querySelector<HTMLElement>('header a');
      link?.focus();
      Object.assign(window, { kept: [document.documentElement, document.head, document.body, link] });
    });
    await hydrate(page);
    const state = await page.evaluate(() => ({
      isKept: (Reflect.get(window, 'kept') as Element[]).every((element) => element.isConnected),
      hasFocus: document.activeElement === (Reflect.get(window, 'kept') as Element[]).at(-1),
      ends: [document.documentElement, document.head, document.body].flatMap((parent) => [
        parent.firstElementChild?.id,
        parent.lastElementChild?.id,
      ]),
      sheet: document.getElementById('sheet')?.previousElementSibling?.localName,
    }));
    const ends = ['html', 'head', 'body'].flatMap((name) => [`first-${name}`, `last-${name}`]);
    expect(state, path).toEqual({ isKept: true, hasFocus: true, ends, sheet: 'link' });
  }
});

for (const how of ['class', 'lang', 'font'] as const) {
  test(`a document that was translated before hydration stays as it is (${how})`, async ({ page }) => {
    await page.goto(examplePath());
    await page.evaluate((sign) => {
      const { documentElement } = document;
      if (sign === 'class') documentElement.classList.add('translated-ltr');
      if (sign === 'lang') documentElement.lang = 'it';
      if (sign === 'font') Reflect.get(window, 'translate')();
    }, how);
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: t('theme.dark') }).focus();
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/packages-')),
    );
    await page.waitForTimeout(1000);
    expect(await page.evaluate(() => '__remixRouter' in window)).toBe(false);
    await page.getByRole('button', { name: t('theme.dark') }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(page.locator('font')).toHaveCount(0);
    await navigationLink(page, 'index').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
  });
}

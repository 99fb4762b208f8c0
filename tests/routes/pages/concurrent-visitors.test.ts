/** Parts of a page are rendered once for all visitors. Each visitor must still get a page of their own. */
import { beforeAll, expect, it } from 'vitest';
import { defaultLocale, type Locale } from '../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../app/i18n/translations.server.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { localizedPages } from '../../support/localized-pages.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { acceptsForms, other } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const { instance } = loadTranslations('public/locales');
const ada = { email: 'ada@example.com', locale: defaultLocale };
const grace = { email: 'grace@example.com', locale: other };

const stack = setUpStack();
let visitors: { ada: SiteVisitor; grace: SiteVisitor };
beforeAll(async () => {
  visitors = { ada: await stack.signUp('ada'), grace: await stack.signUp('grace') };
});

async function pageOf(visitor: SiteVisitor, path: string): Promise<string> {
  return (await visitor.request(path)).body;
}

// What visitors send may differ from one request to the next.
const pages = localizedPages.filter(({ page }) => !acceptsForms(page));

// threat-model: T-096
it('visitors who load pages at the same time get their own name, theme and language', async () => {
  await visitors.grace.request('/preferences', formSubmission({ theme: 'dark' }));
  const load = (visitor: SiteVisitor, language: Locale) =>
    Promise.all(
      pages
        .filter(({ locale }) => locale === language)
        .map(async ({ path }) => [await pageOf(visitor, path), await pageOf(visitor, path)]),
    );
  const [adasPages, gracesPages] = await Promise.all([
    load(visitors.ada, ada.locale),
    load(visitors.grace, grace.locale),
  ]);
  const about = ({ code }: Locale) => instance(code).t('footer.about');
  for (const [html = '', again] of adasPages) {
    expect(again).toBe(html);
    expect(html).toContain(ada.email);
    expect(html).not.toContain(grace.email);
    expect(html).toContain(about(ada.locale));
    expect(html).not.toContain(about(grace.locale));
    expect(html).toContain('data-theme="system"');
  }
  for (const [html = '', again] of gracesPages) {
    expect(again).toBe(html);
    expect(html).toContain(grace.email);
    expect(html).not.toContain(ada.email);
    expect(html).toContain(about(grace.locale));
    expect(html).not.toContain(about(ada.locale));
    expect(html).toMatch(/value="dark" aria-pressed="true"/);
  }
});

it('a page is the same when its parts were rendered for another visitor', async () => {
  for (const { path, locale } of pages.filter(({ locale }) => locale !== defaultLocale)) {
    const first = await pageOf(visitors.ada, path);
    const second = await pageOf(visitors.grace, path);
    expect(first, locale.code).toContain(ada.email);
    expect(second, locale.code).not.toContain(ada.email);
    expect(await pageOf(visitors.ada, path)).toBe(first);
  }
});

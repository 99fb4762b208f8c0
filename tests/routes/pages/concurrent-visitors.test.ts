/** Parts of a page are rendered once for all visitors. Each visitor must still get a page of their own. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultLocale, type Locale } from '../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../app/i18n/translations.server.ts';
import { localizedPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { other } from '../../support/this-site.ts';

const { instance } = loadTranslations('public/locales');
const ada = { email: 'ada@example.com', locale: defaultLocale };
const grace = { email: 'grace@example.com', locale: other };

const agent = new Agent({ keepAlive: true });
let stack: Stack;
let visitors: { ada: SiteVisitor; grace: SiteVisitor };
beforeAll(async () => {
  stack = await startStack();
  visitors = {
    ada: await signUpVisitor(stack, agent, ada.email),
    grace: await signUpVisitor(stack, agent, grace.email),
  };
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

/** A page without what differs between two requests of one visitor. */
async function pageOf(visitor: SiteVisitor, path: string): Promise<string> {
  const { headers, body } = await visitor.request(path);
  const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '-';
  return body.replaceAll(nonce, 'NONCE');
}

// The times of the call differ on the page of messages.
const pages = localizedPages.filter(({ page }) => !['test-message'].includes(page.name));

// threat-model: T-096
it('visitors who load pages at the same time get their own name, theme and language', async () => {
  await visitors.grace.request('/preferences', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'theme=dark',
  });
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

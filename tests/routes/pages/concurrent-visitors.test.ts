/** Parts of a page are rendered once for all visitors. Each visitor must still get a page of their own. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { locales } from '../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../app/i18n/translations.server.ts';
import { localizedPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';

const { instance } = loadTranslations('public/locales');
const emails = { en: 'ada@example.com', ar: 'grace@example.com' };

const agent = new Agent({ keepAlive: true });
let stack: Stack;
let visitors: { en: SiteVisitor; ar: SiteVisitor };
beforeAll(async () => {
  stack = await startStack();
  visitors = {
    en: await signUpVisitor(stack, agent, emails.en),
    ar: await signUpVisitor(stack, agent, emails.ar),
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
const pages = localizedPages.filter(({ page }) => page.name !== 'test-message');

// threat-model: T-096
it('visitors who load pages at the same time get their own name, theme and language', async () => {
  await visitors.ar.request('/preferences', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'theme=dark',
  });
  const load = (code: keyof typeof emails) =>
    Promise.all(
      pages
        .filter(({ locale }) => locale.code === code)
        .map(async ({ path }) => [await pageOf(visitors[code], path), await pageOf(visitors[code], path)]),
    );
  const [english, arabic] = await Promise.all([load('en'), load('ar')]);
  for (const [html = '', again] of english) {
    expect(again).toBe(html);
    expect(html).toContain(emails.en);
    expect(html).not.toContain(emails.ar);
    expect(html).toContain(instance('en').t('footer.about'));
    expect(html).not.toContain(instance('ar').t('footer.about'));
    expect(html).toContain('data-theme="system"');
  }
  for (const [html = '', again] of arabic) {
    expect(again).toBe(html);
    expect(html).toContain(emails.ar);
    expect(html).not.toContain(emails.en);
    expect(html).toContain(instance('ar').t('footer.about'));
    expect(html).not.toContain(instance('en').t('footer.about'));
    expect(html).toMatch(/value="dark" aria-pressed="true"/);
  }
});

it('a page is the same when its parts were rendered for another visitor', async () => {
  for (const { path, locale } of pages.filter(({ locale }) => locale !== locales[0])) {
    const first = await pageOf(visitors.en, path);
    const second = await pageOf(visitors.ar, path);
    expect(first, locale.code).toContain(emails.en);
    expect(second, locale.code).not.toContain(emails.en);
    expect(await pageOf(visitors.en, path)).toBe(first);
  }
});

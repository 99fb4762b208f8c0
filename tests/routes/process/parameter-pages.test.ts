/** A site with pages with parameters: the one of the example, one for members, and one with a form for uploads. */
import { type ExecFileException, execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultLocale, type Locale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../app/i18n/translations.server.ts';
import { siteName } from '../../../app/site-name.ts';
import { findOrInstallBrowser } from '../../../tools/setup/browser.mjs';
import { followExample } from '../../../tools/setup/example.ts';
import { copyRepository } from '../../../tools/setup/repository-copy.ts';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { mirrored, other } from '../../support/this-site.ts';

const runFile = promisify(execFile);
const agent = new Agent({ keepAlive: true });
const KIB = 1024;
const texts = loadTranslations('public/locales').instance(defaultLocale.code).t;

/** The ids of the example, as links spell them. */
const ids = ['tea', '50%25%20%2F%20%C3%BC', 'notes%2Edata'];

let copy = '';
let stack: Stack;

const env = { ...process.env, NODE_ENV: 'production' as const };
const run = (program: string, ...args: string[]) =>
  runFile(join('node_modules/.bin', program), args, { cwd: copy, env }).catch((error: ExecFileException) => {
    throw new Error(`${program} failed:\n${error.stdout}\n${error.stderr}`);
  });

beforeAll(async () => {
  copy = copyRepository();
  followExample(copy, 'item');
  addOtherPages();
  await run('remix', 'vite:build', '--logLevel', 'warn');
  stack = await startStack({ directory: copy, topology: 'one machine' });
});

afterAll(async () => {
  agent.destroy();
  await stack?.stop();
  if (copy) rmSync(copy, { recursive: true, force: true });
});

/** The page of the guide once more, for members and without a cache, and one with many links whose form takes an upload. */
function addOtherPages(): void {
  const list = join(copy, 'app/pages.ts');
  const home = "  { name: 'index', slug: '', namespace: 'home' },\n";
  const draft =
    "  { name: 'draft', slug: 'drafts/:id', namespace: 'item', middleware: ['signed-in'], isValid: (url) => !url.pathname.endsWith('/tea') },\n";
  const upload =
    "  { name: 'upload', slug: 'items/:id/uploads', namespace: 'upload', maxBodyBytes: 2 * 1024 * 1024 },\n";
  writeFileSync(list, readFileSync(list, 'utf8').replace(home, home + draft + upload));
  mkdirSync(join(copy, 'app/pages/upload'));
  writeFileSync(join(copy, 'app/pages/upload/upload.tsx'), uploadPage);
  for (const { code } of locales) {
    const texts = { title: 'Upload', description: 'A page with a form.' };
    writeFileSync(join(copy, 'public/locales', code, 'upload.json'), JSON.stringify(texts));
  }
}

const uploadPage = `
import type { ActionFunctionArgs } from '@remix-run/node';
import { useActionData } from '@remix-run/react';
import { PageLink } from '../../components/site/page-link.tsx';
import { pageNamed } from '../../pages.ts';
import { readForm } from '@tenfold/site-server';

export async function action({ request }: ActionFunctionArgs) {
  const file = (await readForm(request, pageNamed('upload').maxBodyBytes)).get('file');
  return { bytes: typeof file === 'object' ? file?.size : 0 };
}

export default function UploadPage() {
  const ids = Array.from({ length: 60 }, (_, index) => \`an item with the number \${index}\`);
  return (
    <>
      <h1 tabIndex={-1}>{useActionData<typeof action>()?.bytes ?? 'Upload'}</h1>
      {ids.map((id) => <PageLink key={id} page="item" params={{ id }}>{id}</PageLink>)}
    </>
  );
}
`;

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(stack.site.origin, { path, headers }, agent);

/** The addresses of the links with this relation in a document, by language for alternates. */
function linksOf({ body }: RawResponse, relation: 'canonical' | 'alternate'): string[] {
  const tags = body.match(new RegExp(`<link [^>]*rel="${relation}"[^>]*>`, 'g')) ?? [];
  return tags.map((tag) => /href="([^"]*)"/.exec(tag)?.[1] ?? '');
}

const addressIn = (path: string, locale: Locale) => stack.site.origin + localizePath(path, locale);

it('the code of the example compiles', async () => {
  // The request context declares the type of what loaders receive.
  const include = ['app/pages/item', 'app/server/request-context.ts', 'app/**/*.d.ts'];
  writeFileSync(join(copy, 'tsconfig.item.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  await run('tsc', '--noEmit', '--project', 'tsconfig.item.json');
});

describe('a page with a parameter', () => {
  it('is rendered in every language, with the head of its data and its own addresses', async () => {
    for (const locale of locales) {
      for (const id of ids) {
        const path = localizePath(`/items/${id}`, locale);
        const response = await get(path, { 'accept-language': locale.code });
        expect(response.status, path).toBe(200);
        expect(response.body).toContain(`<html lang="${locale.iso}" dir="${locale.dir}"`);
        expect(linksOf(response, 'canonical')).toEqual([addressIn(path, locale)]);
        expect(linksOf(response, 'alternate')).toEqual([
          addressIn(path, defaultLocale),
          ...locales.map((alternate) => addressIn(path, alternate)),
        ]);
        expect(response.body).toContain(`<meta property="og:url" content="${addressIn(path, locale)}"`);
      }
      const { body } = await get(localizePath('/items/tea', locale));
      expect(body).toContain(`<title>Tea &amp; biscuits · ${siteName}</title>`);
      expect(body).toContain('<meta name="description" content="Every day at four."');
      expect(body).toContain(`href="${localizePath(`/items/${ids[1]}`, locale)}"`);
    }
  });

  it('has one canonical address, however its path is spelled', async () => {
    const response = await get('/items/%74ea');
    expect([response.status, linksOf(response, 'canonical')]).toEqual([
      200,
      [addressIn('/items/tea', defaultLocale)],
    ]);
  });

  it.each([
    '/items/coffee',
    '/items/%2E%2E%2Ftea',
    '/items/%252E%252E',
    '/items/tea%2F',
    '/items/_payload%2Ejson',
    '/items/__proto__',
    '/items/%F0%9F%8D%B5',
    `/items/${'x'.repeat(1000)}`,
    '/items',
    '/items/tea/more',
  ])('is the site’s page for a 404 at %s', async (path) => {
    for (const locale of [defaultLocale, mirrored, other]) {
      const response = await get(localizePath(path, locale));
      expect(response.status).toBe(404);
      expect(response.body).toContain(`<html lang="${locale.iso}"`);
      expect(response.body).toMatch(/<h1[^>]*>/);
      expect(linksOf(response, 'canonical')).toEqual([]);
      expect(response.headers.etag).toBeUndefined();
    }
  });

  it.each([
    ['/items/..', 400],
    ['/items/%2e%2e', 400],
    ['/items/%', 400],
    ['/items/%00', 400],
    [`/items/${'x'.repeat(1100)}`, 414],
  ])('does not exist at %s, which the filter rejects', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('is not in menus, and no page to list', async () => {
    const { body } = await get('/nowhere');
    expect(body).not.toContain('/items/');
    expect(body).not.toContain('nav.pages');
  });

  it('is in the sitemap with the parameters that it names, in every language', async () => {
    const { body } = await get('/sitemap.xml');
    const found = [...body.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address);
    const expected = ids.flatMap((id) => locales.map((locale) => addressIn(`/items/${id}`, locale)));
    expect(found.filter((address) => address?.includes('/items/') && !address.endsWith('/uploads'))).toEqual(
      expected,
    );
    expect(found.filter((address) => address?.includes(':id') || address?.includes('/drafts/'))).toEqual([]);
  });

  it('keeps its parameters when the language changes, and after a sign-in', async () => {
    for (const id of ids) {
      const path = `/items/${id}`;
      const form = formSubmission(
        { locale: mirrored.code, returnTo: `${path}?a=b` },
        { 'sec-fetch-site': 'same-origin' },
      );
      const { headers } = await sendRaw(stack.site.origin, { path: '/preferences', ...form }, agent);
      expect(headers.location).toBe(`${localizePath(path, mirrored)}?a=b`);
    }
    const { status, headers } = await get('/drafts/a%2Fb?x=1');
    expect([status, headers.location]).toEqual([
      302,
      `/auth/sign-in?${new URLSearchParams({ returnTo: '/drafts/a%2Fb?x=1' })}`,
    ]);
  });

  it('has one payload with its texts for all parameters', async () => {
    const id = JSON.parse((await get('/builds/latest.json')).body).id;
    const payloads = await Promise.all(
      ['/items/:id', '/items/tea', '/items/coffee'].map((path) =>
        get(`${localizePath(path, other)}/_payload.json?${id}`),
      ),
    );
    for (const { status, body, headers } of payloads) {
      expect([status, body]).toEqual([200, payloads[0]?.body]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect(JSON.parse(payloads[0]?.body ?? '').translations.item.next).toBe('The next item');
  });
});

describe('the rules of a page with a parameter', () => {
  it('guard every address of it', async () => {
    const visitor = await signUpVisitor(stack, agent, 'ada@example.com');
    for (const locale of [defaultLocale, other]) {
      const path = localizePath(`/drafts/${ids[1]}`, locale);
      expect((await get(path)).status).toBe(302);
      expect((await visitor.request(path)).body).toContain('<h1 tabindex="-1"');
      expect((await visitor.request(path)).headers['cache-control']).toBe('private, no-store');
      const invalid = await visitor.request(localizePath('/drafts/tea', locale));
      expect(invalid.status).toBe(404);
    }
    expect((await get('/drafts/tea')).status, 'an invalid address is not worth a sign-in').toBe(404);
  });

  it('let everyone send as many bytes as the page says, in every language', async () => {
    const send = (path: string, bytes: number) => {
      const part = 'content-disposition: form-data; name="file"; filename="a"';
      const body = `--b\r\n${part}\r\n\r\n${'x'.repeat(bytes)}\r\n--b--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin' };
      return sendRaw(stack.site.origin, { method: 'POST', path, headers, body });
    };
    for (const locale of [defaultLocale, other]) {
      const path = localizePath('/items/tea/uploads', locale);
      expect((await send(path, 1900 * KIB)).status).toBe(200);
      expect((await send(`${path}.data`, 1900 * KIB)).body).toContain(`"bytes",${1900 * KIB}`);
      expect((await send(path, 2100 * KIB)).status).toBe(413);
      expect((await send(localizePath('/items/tea', locale), 100 * KIB)).status).toBe(413);
    }
  });
});

describe('the cache of pages with parameters', () => {
  const isCached = async (path: string, headers: Record<string, string> = {}) =>
    (await get(path, headers)).headers.etag !== undefined;

  it('has the pages that say so, for visitors without a session', async () => {
    for (const id of ids) expect(await isCached(localizePath(`/items/${id}`, other))).toBe(true);
    expect(await isCached('/items/tea/uploads')).toBe(false);
  });

  // threat-model: T-014
  it.each([
    ['a session', '/items/tea', { cookie: 'session=x' }],
    ['a notice', '/items/tea', { cookie: 'notice=x' }],
    ['a query', '/items/tea?x', {}],
    ['another spelling', '/items/%74ea', {}],
  ])('has no page for %s', async (_what, path, headers) => {
    expect((await get(path, headers)).status).toBe(200);
    expect(await isCached(path, headers)).toBe(false);
  });
});

describe('in a browser', () => {
  it('links, languages, missing items and prefetches work without loading documents', async () => {
    const browser = await chromium.launch({ executablePath: findOrInstallBrowser() ?? '' });
    try {
      const page = await browser.newPage({ baseURL: stack.site.origin, locale: 'en-US' });
      const requests: string[] = [];
      const problems: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        requests.push(`${request.isNavigationRequest() ? 'document ' : ''}${pathname}${search}`);
      });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text());
      });
      page.on('pageerror', ({ message }) => problems.push(message));
      const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
      const path = () => new URL(page.url()).pathname;

      const open = async (address: string) => {
        await page.goto(address);
        await page.mouse.move(5, 5);
        // The client-side code is ready.
        await page.waitForFunction(() => history.scrollRestoration === 'manual');
      };

      await open('/items/tea/uploads');
      await page.evaluate(() => window.__remixRouter.navigate('/items/tea'));
      await heading('Tea & biscuits');
      requests.splice(0);
      await open('/items/tea');
      await page.getByRole('link', { name: 'The next item' }).click();
      await heading('Half');
      expect(path()).toBe(`/items/${ids[1]}`);
      expect(await page.title()).toBe(`Half · ${siteName}`);
      const canonical = () => page.locator('link[rel="canonical"]').getAttribute('href');
      expect(await canonical()).toBe(`${stack.site.origin}/items/${ids[1]}`);
      await page.getByRole('link', { name: 'The next item' }).click();
      await heading('Notes');
      expect(path()).toBe(`/items/${ids[2]}`);

      await page.locator('header summary').first().click();
      await page.getByRole('button', { name: mirrored.ownName }).click();
      await page.locator(`html[lang="${mirrored.iso}"]`).waitFor();
      await heading('Notes');
      expect(path()).toBe(localizePath(`/items/${ids[2]}`, mirrored));
      expect(await canonical()).toBe(addressIn(`/items/${ids[2]}`, mirrored));
      await page.goBack();
      await page.locator(`html[lang="${defaultLocale.iso}"]`).waitFor();
      await heading('Notes');
      expect(requests.filter((request) => request.startsWith('document '))).toEqual(['document /items/tea']);
      const payloads = requests.filter((request) => request.includes('_payload.json'));
      expect(
        payloads.every((request) => request.includes('/items/:id/')),
        payloads.join(),
      ).toBe(true);
      expect(problems).toEqual([]);

      await page.evaluate(() => window.__remixRouter.navigate('/items/coffee'));
      await heading(texts('error.404.title'));
      expect(await page.locator('html').getAttribute('lang')).toBe(defaultLocale.iso);
      await page.goBack();
      await heading('Notes');
      expect(requests.filter((request) => request.startsWith('document '))).toHaveLength(1);
    } finally {
      await browser.close();
    }
  });
});

it('the code of the items and of the sitemap is not in the browser’s bundle', () => {
  const assets = join(copy, 'build/client/assets');
  const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'));
  expect(scripts.some((file) => /^item-[\w-]{8}\.js$/.test(file))).toBe(true);
  for (const file of scripts) {
    expect(readFileSync(join(assets, file), 'utf8'), file).not.toContain('Every day at four.');
  }
});

it('two pages with the same addresses fail the build, with their names', () => {
  const list = join(copy, 'app/pages.ts');
  const text = readFileSync(list, 'utf8').replace("slug: 'drafts/:id'", "slug: 'items/:key'");
  writeFileSync(list, text);
  const build = () =>
    execFileSync('node_modules/.bin/remix', ['vite:build'], { cwd: copy, env, stdio: 'pipe' });
  expect(build).toThrow(
    "The pages 'draft' and 'item' have the same addresses: 'items/:key' and 'items/:id'.",
  );
});

/** The recipes after which every test passes: they change the brand, add to the site, or remove a page or languages. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SiteVisitor } from '../../tests/support/sign-in/site-visitor.ts';
import { waitUntil } from '../../tests/support/timing/wait-until.ts';
import { assertNotInBuild, expectPage, type Recipe } from './recipe.ts';

export const additions: readonly Recipe[] = [
  {
    name: 'rename',
    title: 'Rename the site',
    async check(site) {
      const home = await expectPage(site, '/de');
      assert.match(home, /Meridian/);
      assert.doesNotMatch(home, /Tenfold/);
      assert.doesNotMatch(await expectPage(site, '/de/privacy'), /Tenfold/);
      assert.equal(JSON.parse(await expectPage(site, '/manifest.webmanifest')).name, 'Meridian');
      assert.match(await expectPage(site, '/nowhere', 404), / · Meridian<\/title>/);
      const assets = 'build/client/assets';
      const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'));
      const named = scripts.filter((file) => readFileSync(join(assets, file), 'utf8').includes('Tenfold'));
      assert.deepEqual(named, []);
    },
  },
  {
    name: 'colors',
    title: 'Change the colors',
    async check(site) {
      assert.match(await expectPage(site, '/favicon.svg'), /\.primary \{ fill: #9d174d \}/);
      const styles = readdirSync('build/client/assets').filter((file) => file.endsWith('.css'));
      const texts = styles.map((file) => readFileSync(join('build/client/assets', file), 'utf8'));
      assert.ok(texts.some((text) => text.includes('#9d174d')));
    },
  },
  {
    name: 'fonts',
    title: 'Change the fonts',
    async check(site) {
      const home = await expectPage(site, '/de');
      assert.match(home, /rel="preload" as="font" href="\/assets\/noto-sans-latin-/);
      assert.doesNotMatch(home, /dm-sans/);
      const [, path = ''] = /rel="stylesheet" href="([^"]+)"/.exec(home) ?? [];
      assert.match(await expectPage(site, path), /--latin-text: ?"?Noto Sans/);
      assertNotInBuild('build/client', 'DM Sans');
    },
  },
  {
    name: 'logo',
    title: 'Change the logo',
    async check(site) {
      for (const path of ['/de', '/favicon.svg']) {
        const body = await expectPage(site, path);
        assert.match(body, / d="M15 4a12 12 0 0 0 0 24z"/);
        assert.doesNotMatch(body, / d="M3 4h8l5/);
      }
    },
  },
  {
    name: 'page',
    title: 'Add a page',
    async check(site) {
      assert.match(await expectPage(site, '/about'), /<h1[^>]*>About us</);
      assert.match(await expectPage(site, '/de/about'), /<h1[^>]*>About us \[de\]</);
      assert.match(await expectPage(site, '/'), /href="\/about"/);
      assert.match(await expectPage(site, '/sitemap.xml'), /\/de\/about</);
    },
  },
  {
    name: 'form',
    title: 'Add a page with a form for signed-in visitors',
    async check(site) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const post = (visitor: SiteVisitor, body: string, path = '/notes') =>
        visitor.request(path, { method: 'POST', headers: { accept: 'text/html', ...type }, body });
      const anonymous = site.visitor();
      for (const response of [await anonymous.request('/notes'), await post(anonymous, 'text=Hello')]) {
        assert.equal(response.status, 302);
        assert.equal(response.headers.location, '/auth/sign-in?returnTo=%2Fnotes');
      }
      assert.doesNotMatch(await expectPage(site, '/'), /href="\/notes"/);
      assert.doesNotMatch(await expectPage(site, '/sitemap.xml'), /\/notes/);
      const visitor = await site.signedInVisitor();
      assert.match((await visitor.request('/')).body, /href="\/notes"/);
      assert.match((await visitor.request('/notes')).body, /<h1[^>]*>Your notes</);
      const empty = await post(visitor, 'text=');
      assert.equal(empty.status, 400);
      assert.match(empty.body, /Write 1 to 2000 characters\./);
      const sent = await post(visitor, 'text=Hello');
      assert.equal(sent.status, 303);
      assert.equal(sent.headers.location, '/notes?saved');
      assert.match((await visitor.request('/notes?saved')).body, /The note was received\./);
      const received = () => site.output().split('note received').length - 1;
      await waitUntil(() => received() > 0, { message: () => 'No note was logged.' });
      assert.equal(received(), 1, 'notes received');
    },
  },
  {
    name: 'list',
    title: 'Add a list with a type of its own',
    needs: ['form'],
    async check(site) {
      const [author, other] = [await site.signedInVisitor(), await site.signedInVisitor()];
      const operations = readFileSync('app/pages/notes/notes.graphql', 'utf8');
      const query = operations.slice(operations.indexOf('mutation'));
      const { body } = await author.request('/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, operationName: 'CreateNote', variables: { text: 'Buy milk' } }),
      });
      assert.match(JSON.parse(body).data?.createNote.id ?? body, /^[0-9A-Z]{26}$/);
      assert.match((await author.request('/notes')).body, /<li>Buy milk</);
      assert.doesNotMatch((await other.request('/notes')).body, /Buy milk/);
    },
  },
  {
    name: 'seed',
    title: 'Add seed data',
    async check(site) {
      const visitor = await site.signedInVisitor();
      assert.match((await visitor.request('/test-message')).body, /Welcome/);
    },
  },
  {
    name: 'stream',
    title: 'Add a stream of events',
    async check(site) {
      const response = await fetch(`${site.origin}/api/clock`);
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (const _event of [1, 2]) {
        const { value = '' } = (await reader?.read()) ?? {};
        assert.match(value, /^data: \d{4}-.*Z\n\n$/);
      }
      await reader?.cancel();
    },
  },
  {
    name: 'header',
    title: 'Add a header to every response',
    async check(site) {
      const visitor = site.visitor();
      const page = await visitor.request('/de');
      const etag = String(page.headers.etag);
      const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page.body) ?? [];
      const responses = {
        'a cached page': [page, 200],
        'an unchanged page': [await visitor.request('/de', { headers: { 'if-none-match': etag } }), 304],
        'a rendered page': [await visitor.request('/de?rendered'), 200],
        'an asset': [await visitor.request(script), 200],
        'a page for an unknown address': [await visitor.request('/nowhere'), 404],
        'a rejected request': [await visitor.request('/de', { method: 'TRACE' }), 405],
        'a redirect': [await visitor.request('/de/'), 301],
      } as const;
      for (const [name, [{ status, headers }, expected]] of Object.entries(responses)) {
        const header = headers['x-permitted-cross-domain-policies'];
        assert.deepEqual([status, header], [expected, 'none'], name);
      }
    },
  },
  {
    name: 'language',
    title: 'Add a language',
    newLocale: 'nl',
    async check(site) {
      assert.match(await expectPage(site, '/nl'), /<html lang="nl-NL"/);
      assert.match(await expectPage(site, '/nl/test-message'), /\[nl\]/);
      assert.match(await expectPage(site, '/sitemap.xml'), /\/nl</);
    },
  },
  {
    name: 'without-languages',
    title: 'Remove a language',
    async check(site) {
      await expectPage(site, '/ar', 404);
      await expectPage(site, '/fr', 404);
      assert.doesNotMatch(await expectPage(site, '/de'), /hreflang="(ar|fr)/i);
    },
  },
  {
    name: 'without-typography',
    title: 'Remove the typography page',
    async check(site) {
      await expectPage(site, '/typography-demo', 404);
      assert.doesNotMatch(await expectPage(site, '/de'), /typography/);
      assert.doesNotMatch(await expectPage(site, '/sitemap.xml'), /typography/);
      assertNotInBuild('build/client', 'typography-demo');
    },
  },
  // The last one, because its check stops the site.
  {
    name: 'job',
    title: 'Add a job beside the requests',
    async check(site) {
      // Between two runs of the job.
      await setTimeout(2500);
      assert.equal(await site.stop('SIGTERM'), 0);
      const [, measured] = /"measured":(\d+),"bytes":\d{7}.*"msg":"memory peak"/.exec(site.output()) ?? [];
      assert.ok(Number(measured) >= 2, `measured ${measured} times`);
    },
  },
];

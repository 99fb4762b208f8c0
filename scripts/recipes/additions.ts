/** The recipes that rename the site or add to it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectPage, type Recipe } from './recipe.ts';

export const additions: readonly Recipe[] = [
  {
    name: 'rename',
    title: 'Rename the site',
    async check(site) {
      const home = await expectPage(site, '/fr');
      assert.match(home, /Meridian/);
      assert.doesNotMatch(home, /Tenfold/);
      assert.doesNotMatch(await expectPage(site, '/fr/privacy'), /Tenfold/);
      assert.equal(JSON.parse(await expectPage(site, '/manifest.webmanifest')).name, 'Meridian');
      assert.match(await expectPage(site, '/nowhere', 404), / · Meridian<\/title>/);
      const assets = 'build/client/assets';
      const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'));
      const named = scripts.filter((file) => readFileSync(join(assets, file), 'utf8').includes('Tenfold'));
      assert.deepEqual(named, []);
    },
  },
  {
    name: 'page',
    title: 'Add a page',
    async check(site) {
      assert.match(await expectPage(site, '/about'), /<h1[^>]*>About us</);
      assert.match(await expectPage(site, '/fr/about'), /<h1[^>]*>About us \[fr\]</);
      assert.match(await expectPage(site, '/'), /href="\/about"/);
      assert.match(await expectPage(site, '/sitemap.xml'), /\/fr\/about</);
    },
  },
  {
    name: 'protected-page',
    title: 'Add a page for signed-in visitors',
    async check(site) {
      const { status, headers } = await site.visitor().request('/profile');
      assert.equal(status, 302);
      assert.equal(headers.location, '/auth/sign-in?returnTo=%2Fprofile');
      const { body } = await (await site.signedInVisitor()).request('/profile');
      assert.match(body, /<h1[^>]*>Your profile</);
    },
  },
  {
    name: 'operation',
    title: 'Add a GraphQL operation',
    needs: ['protected-page'],
    async check(site) {
      const visitor = await site.signedInVisitor();
      assert.match((await visitor.request('/profile')).body, /Notes so far: 0/);
      const query = readFileSync('app/pages/profile/profile.graphql', 'utf8');
      const { body } = await visitor.request('/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      assert.deepEqual(JSON.parse(body).data, { noteCount: 0 });
    },
  },
  {
    name: 'form',
    title: 'Add a form',
    async check(site) {
      const post = (body: string) => {
        const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
        return site.visitor().request('/feedback', { method: 'POST', headers, body });
      };
      const empty = await post('text=');
      assert.equal(empty.status, 400);
      assert.match(empty.body, /Write something first\./);
      const sent = await post('text=Hello');
      assert.equal(sent.status, 303);
      assert.equal(sent.headers.location, '/feedback?sent');
      assert.match(await expectPage(site, '/feedback?sent'), /Thank you\./);
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
    name: 'language',
    title: 'Add a language',
    newLocale: 'nl',
    async check(site) {
      assert.match(await expectPage(site, '/nl'), /<html lang="nl-NL"/);
      assert.match(await expectPage(site, '/nl/test-message'), /\[nl\]/);
      assert.match(await expectPage(site, '/sitemap.xml'), /\/nl</);
    },
  },
];

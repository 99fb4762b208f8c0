/** The recipes that remove a part of the site. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectPage, type Recipe } from './recipe.ts';

export const removals: readonly Recipe[] = [
  {
    name: 'without-typography',
    title: 'Remove the typography page',
    async check(site) {
      await expectPage(site, '/typography-demo', 404);
      assert.doesNotMatch(await expectPage(site, '/ar'), /typography/);
      assert.doesNotMatch(await expectPage(site, '/sitemap.xml'), /typography/);
      assertNotInBuild('build/client', 'typography-demo');
    },
  },
  {
    name: 'without-messages',
    title: 'Remove the test messages',
    needs: ['form', 'operation'],
    async check(site) {
      await expectPage(site, '/test-message', 404);
      assert.doesNotMatch(await expectPage(site, '/ar'), /test-message/);
      assert.doesNotMatch(await expectPage(site, '/ar/privacy'), /test-message|>outcome</);
      assert.doesNotMatch(await expectPage(site, '/sitemap.xml'), /test-message/);
      assertNotInBuild('build/client', 'test-message');
      assertNotInBuild('build/server', 'listMessages');
    },
  },
  {
    name: 'without-icons',
    title: 'Remove the icon API',
    async check(site) {
      await expectPage(site, '/api/icons/lucide.json?icons=globe', 404);
      // The icons that the code names remain.
      assert.match(await expectPage(site, '/'), /<svg [^>]*viewBox="0 0 24 24"[^>]*><path/);
      assertNotInBuild('build/client', 'api/icons');
      assertNotInBuild('build/server', 'ICON_API_HOSTS');
    },
  },
  {
    name: 'without-redis',
    title: 'Remove Redis',
    async check(site) {
      await expectPage(site, '/');
      const visitor = await site.signedInVisitor();
      assert.equal(await visitor.isSignedIn(), true);
      assertNotInBuild('build/server', 'REDIS_URL');
    },
  },
];

/** Throws when a script of the build contains `text`. */
function assertNotInBuild(build: string, text: string): void {
  const files = readdirSync(build, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.js'))
    .filter((file) => readFileSync(join(build, file), 'utf8').includes(text));
  assert.deepEqual(found, []);
}

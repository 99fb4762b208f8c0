/** The recipes that remove a part of the code. The tests of that part are changed by hand. */
import assert from 'node:assert/strict';
import { assertNotInBuild, expectPage, type Recipe } from './recipe.ts';

export const removals: readonly Recipe[] = [
  {
    name: 'without-messages',
    title: 'Remove the test messages',
    needs: ['form', 'list'],
    async check(site) {
      await expectPage(site, '/test-message', 404);
      assert.doesNotMatch(await expectPage(site, '/de'), /test-message/);
      assert.doesNotMatch(await expectPage(site, '/de/privacy'), /test-message|>outcome</);
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

/** A complete visit in two or three languages, with and without JavaScript. */
import { SEVERAL_MACHINES } from '../../support/processes/topology.ts';
import { playwrightTab } from '../support/engines/tab.ts';
import { test } from '../support/fixtures.ts';
import { visitedLocales, visitTheSite } from './journey.ts';

const visited = visitedLocales('en', 'ar', 'ja');

for (const locale of visited) {
  for (const hasScripts of [true, false]) {
    test.describe(`in ${locale.name}, ${hasScripts ? 'with' : 'without'} JavaScript`, () => {
      test.use({ javaScriptEnabled: hasScripts, locale: 'en-US' });

      // The second language includes the switch. The others differ in what is shown only.
      const tag = locale === visited[1] ? [SEVERAL_MACHINES] : [];

      test('a visitor reads, switches language and theme, signs up, posts, deletes and signs out', {
        tag,
      }, async ({ page, cloud, site }) => {
        await visitTheSite({ tab: playwrightTab(page), cloud, origin: site.origin, locale, hasScripts });
      });
    });
  }
}

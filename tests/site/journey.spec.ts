/** A complete visit in two languages, with and without JavaScript. */
import { defaultLocale } from '../../app/i18n/locales.ts';
import { playwrightTab } from '../e2e/support/engines/tab.ts';
import { test } from '../e2e/support/fixtures.ts';
import { visitedLocales, visitTheSite } from '../e2e/visitors/journey.ts';
import { SEVERAL_MACHINES } from '../support/processes/topology.ts';

for (const locale of visitedLocales) {
  for (const hasScripts of [true, false]) {
    test.describe(`in ${locale.name}, ${hasScripts ? 'with' : 'without'} JavaScript`, () => {
      test.use({ javaScriptEnabled: hasScripts, locale: 'en-US' });

      // Only this visit includes the switch of the language.
      const tag = locale === defaultLocale ? [] : [SEVERAL_MACHINES];

      test('a visitor reads, switches language and theme, signs up, posts, deletes and signs out', {
        tag,
      }, async ({ page, cloud, site }) => {
        await visitTheSite({ tab: playwrightTab(page), cloud, origin: site.origin, locale, hasScripts });
      });
    });
  }
}

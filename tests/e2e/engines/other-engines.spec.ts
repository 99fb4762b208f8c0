/** The complete visit in browsers other than Chromium. Their projects are with and without JavaScript. */
import { test } from '../support/engines/fixtures.ts';
import { visitedLocales, visitTheSite } from '../visitors/journey.ts';

for (const locale of visitedLocales) {
  test(`a visitor completes the journey in ${locale.name}`, async ({ tab, cloud, site, switchedOff }) => {
    await visitTheSite({ tab, cloud, origin: site.origin, locale, hasScripts: switchedOff === null });
  });
}

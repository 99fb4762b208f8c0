import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The families in which a browser really wrote an element's text, and whether they came with the page. */
async function writtenIn(page: Page, selector: string) {
  await page.evaluate(() => document.fonts.ready);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts.map(({ familyName, isCustomFont }) => (isCustomFont ? familyName : `local ${familyName}`));
}

for (const path of ['/', '/fr', '/de/test-message', '/pt/typography-demo']) {
  test(`${path} is written in the site’s own families`, async ({ page }) => {
    await page.goto(path, { waitUntil: 'networkidle' });
    expect(await writtenIn(page, 'h1')).toEqual([expect.stringMatching(/^Space Grotesk/)]);
    expect(await writtenIn(page, 'h1 ~ p, h1 + *, header p')).toEqual([expect.stringMatching(/^DM Sans/)]);
    expect(await writtenIn(page, 'nav a')).toEqual([expect.stringMatching(/^DM Sans/)]);
  });
}

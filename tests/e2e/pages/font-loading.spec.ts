/** Pages whose font files arrive late, on a device with the Noto fonts, as Android and Linux have them. */
import { expect } from '@playwright/test';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { test } from '../support/device-fonts.ts';
import { holdRequests } from '../support/recordings.ts';

test.use({
  installedFonts: ['dm-sans-latin-', 'ar-text', 'hi-text', 'ja-text', 'ru-text', 'zh-text'],
});

for (const locale of locales) {
  test(`nothing moves when the fonts arrive in ${locale.name}`, async ({ page }) => {
    await page.addInitScript(() => {
      const total = { shift: 0 };
      Object.assign(window, { total });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) total.shift += Reflect.get(entry, 'value');
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const release = await holdRequests(page, /\.woff2$/);
    await page.goto(localizePath('/typography-demo', locale), { waitUntil: 'domcontentloaded' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    release();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(() => Reflect.get(window, 'total').shift)).toBeLessThan(0.02);
  });
}

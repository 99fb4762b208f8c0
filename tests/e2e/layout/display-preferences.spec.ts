/** Display preferences of visitors: forced colors, reduced motion. */

import { formPath } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

test.describe('with forced colors', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });

  test('the current page, pressed buttons and the focus are outlined', async ({ page }) => {
    await page.goto('/');
    const outlineOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(await outlineOf('nav a[aria-current="page"]')).toBe('solid');
    expect(await outlineOf('nav a:not([aria-current])')).toBe('none');
    expect(await outlineOf('button[aria-pressed="true"]')).toBe('solid');
    expect(await outlineOf('button[aria-pressed="false"]')).toBe('none');
    await page.keyboard.press('Tab');
    expect(await outlineOf(':focus')).toBe('solid');
  });
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('no transition or animation takes longer than a millisecond', async ({ page }) => {
    await page.goto(formPath());
    const longest = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return `${transitionDuration}, ${animationDuration}`.split(', ').map(Number.parseFloat);
        }),
      ),
    );
    expect(longest).toBeLessThanOrEqual(0.001);
    await page
      .getByRole('navigation', { name: t('nav.label') })
      .getByRole('link')
      .first()
      .focus();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto');
  });
});

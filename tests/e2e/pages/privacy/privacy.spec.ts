/** Links to a section of the privacy page. */
import { expect, test } from '../../support/fixtures.ts';
import { recordScrolling } from '../../support/recordings.ts';
import { openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');

test('scrolling is smooth to the target of a hash, also after an invalid hash', async ({ page }) => {
  const calls = await recordScrolling(page);
  await openHydrated(page, '/#%E0%A4%A');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
  await page.evaluate(() => void window.__remixRouter.navigate('/privacy#cookies'));
  await expect(page).toHaveURL('/privacy#cookies');
  await expect(page.locator('#cookies')).toBeInViewport();
  await expect.poll(calls).toEqual(['smooth']);
});

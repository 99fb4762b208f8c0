/** Messages that are written or sent before and during hydration, or before the page is loaded again. */
import type { Page } from '@playwright/test';
import { blockStorage } from '../../support/deployment.ts';
import { expect, type SignUp, test, waitForHydration } from '../../support/fixtures.ts';
import { holdClient } from '../../support/recordings.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField as field, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');

/** Signs up, delays the hydration and opens the test message page. */
async function openComposer(page: Page, signUp: SignUp): Promise<() => void> {
  await signUp('early@example.com');
  const release = await holdClient(page);
  await page.goto('/test-message');
  return release;
}

test('a form that fails shows the error, also after hydration', async ({ page, cloud, signUp }) => {
  const release = await openComposer(page, signUp);
  cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
  await field(page).fill('Do not lose me');
  await sendButton(page).click();
  await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
  release();
  await waitForHydration(page);
  await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
  await expect(field(page)).toHaveValue('Do not lose me');
  cloud.faults.set({});
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
});

test.describe('text', () => {
  test('typed before, during and after hydration is kept, and so is the position of the caret', async ({
    page,
    signUp,
  }) => {
    const release = await openComposer(page, signUp);
    await field(page).focus();
    await page.keyboard.type('before, end');
    for (let back = 0; back < 'end'.length; back += 1) await page.keyboard.press('ArrowLeft');
    const duringHydration = 'during hydration, '.repeat(10);
    const typing = page.keyboard.type(duringHydration, { delay: 5 });
    release();
    await typing;
    await waitForHydration(page);
    await page.keyboard.type('after, ');
    await expect(field(page)).toHaveValue(`before, ${duringHydration}after, end`);
    await expect(field(page)).toBeFocused();
    await sendButton(page).click();
    await expect(sentNotice(page)).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: 'after, end' })).toHaveCount(1);
  });

  test('in an input method is not interrupted', async ({ page, signUp }) => {
    const release = await openComposer(page, signUp);
    const devtools = await page.context().newCDPSession(page);
    const compose = (text: string) =>
      devtools.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    await field(page).focus();
    await compose('に');
    await compose('にほ');
    release();
    await waitForHydration(page);
    await compose('にほん');
    await devtools.send('Input.insertText', { text: '日本' });
    await expect(field(page)).toHaveValue('日本');
    await page.keyboard.type('!');
    await sendButton(page).click();
    await expect(page.getByRole('listitem').getByText('日本!', { exact: true })).toHaveCount(1);
  });

  for (const { typed, storage } of [
    { typed: 'before', storage: 'available' },
    { typed: 'after', storage: 'blocked' },
  ] as const) {
    test(`typed ${typed} hydration survives the reload for a new version (storage is ${storage})`, async ({
      page,
      signUp,
    }) => {
      if (storage === 'blocked') await page.addInitScript(blockStorage);
      const release = await openComposer(page, signUp);
      if (typed === 'before') await field(page).fill('Do not lose me');
      release();
      await waitForHydration(page);
      if (typed === 'after') await field(page).fill('Do not lose me');
      await page.route('/builds/latest.json?*', (route) =>
        route.fulfill({ json: { id: 'another', timestamp: 1 } }),
      );
      await page.clock.install();
      await page.clock.fastForward(120_000);
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await page.getByRole('button', { name: t('newVersion.reload') }).click();
      await expect(page.getByText(t('newVersion.title'))).toBeHidden();
      await expect(field(page)).toHaveValue('Do not lose me');
      // The restored text is also the text that is sent.
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
    });
  }
});

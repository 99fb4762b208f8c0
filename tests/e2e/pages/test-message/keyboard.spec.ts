/** The test message page by keyboard. */
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { tabTo } from '../../support/keyboard.ts';
import { translationsOf } from '../../support/translations.ts';
import { ignoreLongTimers } from '../../support/walk.ts';
import { deleteButton, messageField, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('a visitor is invited to sign up, posts and deletes by keyboard', async ({ page, signUp }) => {
  const main = page.getByRole('main');
  // On a slow machine ten seconds pass before the deletion is confirmed.
  await page.addInitScript(ignoreLongTimers);

  await test.step('reach the invitation', async () => {
    await page.goto('/test-message');
    await tabTo(page, main.getByRole('link', { name: t('test-message:signedOut.signUp') }));
  });

  await test.step('post a message', async () => {
    await signUp('keys@example.com');
    await page.reload();
    await waitForHydration(page);
    await tabTo(page, messageField(page));
    await page.keyboard.type('Without a mouse');
    await tabTo(page, sendButton(page));
    await page.keyboard.press('Enter');
    await expect(sentNotice(page)).toBeVisible();
    await expect(main.getByRole('listitem').getByText('Without a mouse')).toBeVisible();
  });

  await test.step('delete it, which moves the focus to "Undo" and then to the list', async () => {
    await tabTo(page, deleteButton(page, 'Without a mouse'));
    await page.keyboard.press('Enter');
    await expect(main.getByText(t('test-message:list.deleted'))).toBeVisible();
    await expect(main.getByRole('button', { name: t('test-message:list.undo') })).toBeFocused();
    await tabTo(page, main.getByRole('button', { name: t('test-message:list.dismiss') }));
    await page.keyboard.press('Enter');
    await expect(main.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  });
});

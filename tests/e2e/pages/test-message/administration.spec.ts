/** An administrator deletes messages of others on the test message page. */
import type { Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { changeAdmin } from '../../../support/sign-in/user-groups.ts';
import { expect, type SignUp, test, waitForHydration } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';
import { ignoreLongTimers } from '../../support/walk.ts';
import { button, deleteButton, item, postMessages } from './message-list.ts';

const t = translationsOf('en');
const TEXT = 'By a member';

type Fixtures = { page: Page; cloud: LocalCloud; signUp: SignUp };

/** Opens the page with a message of another member. With `isAdmin`, a refresh has made the visitor an administrator. */
async function openPage({ page, cloud, signUp }: Fixtures, isAdmin: boolean): Promise<void> {
  await postMessages(await signUp('member@example.com'), [TEXT]);
  // Tokens that expire at once are refreshed by the next request.
  cloud.faults.set({ tokenSeconds: 4 });
  await signUp('visitor@example.com');
  cloud.faults.set({});
  if (isAdmin) await changeAdmin(cloud, 'visitor@example.com', true);
  await page.goto('/test-message');
  await expect(item(page, TEXT)).toBeVisible();
}

test.describe('with JavaScript', () => {
  // On a slow machine ten seconds pass during a test.
  test.beforeEach(({ context }) => context.addInitScript(ignoreLongTimers));

  test('an administrator deletes a message of another member, and can undo it', async ({
    page,
    cloud,
    signUp,
  }) => {
    await openPage({ page, cloud, signUp }, true);
    await waitForHydration(page);
    await deleteButton(page, TEXT).click();
    await button(page, 'undo').click();
    await expect(item(page, TEXT)).toBeVisible();
    await deleteButton(page, TEXT).click();
    await button(page, 'dismiss').click();
    await expect.poll(() => cloud.faults.calls.graphql?.RemoveMessage).toBe(1);
    await page.reload();
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
    expect(cloud.faults.calls.graphql?.DeleteMessage).toBeUndefined();
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('an administrator is asked before a message of another member is deleted', async ({
    page,
    cloud,
    signUp,
  }) => {
    await openPage({ page, cloud, signUp }, true);
    await deleteButton(page, TEXT).click();
    await expect(item(page, TEXT)).toContainText(t('test-message:list.confirmOthers'));
    await button(page, 'delete').click();
    await expect(page.getByText(t('test-message:list.deleted'))).toBeVisible();
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
  });
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(`for a member (JavaScript: ${javaScriptEnabled})`, () => {
    test.use({ javaScriptEnabled });

    test('there is no control that deletes a message of another member', async ({ page, cloud, signUp }) => {
      await openPage({ page, cloud, signUp }, false);
      await expect(deleteButton(page, TEXT)).toHaveCount(0);
      const id = await item(page, TEXT).getAttribute('id');
      await page.goto(`/test-message?delete=${id?.replace('message-', '')}`);
      await expect(page.getByText(t('test-message:error.not-yours'))).toBeVisible();
      await expect(button(page, 'delete')).toHaveCount(0);
    });
  });
}

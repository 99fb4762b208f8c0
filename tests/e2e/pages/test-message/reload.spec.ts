/** Reloading the page while a message is being posted. */
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { item, messageField, openList, sendButton } from './message-list.ts';

const delayed = { service: 'graphql' as const, kind: 'slow' as const, delayMs: 1500 };

test('a message that was being posted is in the list', async ({ page, cloud, signUp }) => {
  await openList({ page, signUp });
  cloud.faults.set({ faults: [{ ...delayed, operation: 'CreateMessage' }] });
  await messageField(page).fill('sent before the reload');
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await sendButton(page).click();
  await sent;
  await expect.poll(() => cloud.faults.calls.graphql?.CreateMessage).toBe(1);
  await page.reload();
  await expect(item(page, 'sent before the reload')).toBeVisible();
  await waitForHydration(page);
  await expect(messageField(page)).toHaveValue('');
});

/** The test message page in a session whose tokens expire. The name of the file selects it for several machines. */
import { SEVERAL_MACHINES } from '../../../support/processes/topology.ts';
import { expect, test } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, openList, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');

/** Tokens that expire after five seconds. The site refreshes tokens that early, so it does so with every request. */
const shortTokens = { tokenSeconds: 5 };

test('a message is sent after the session was refreshed', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud, signUp }) => {
  cloud.faults.set(shortTokens);
  await openList({ page, signUp });
  cloud.faults.forgetCalls();
  await expect(async () => {
    await page.reload();
    expect(cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0).toBeGreaterThan(0);
  }).toPass({ intervals: [500] });
  cloud.faults.set({});
  await messageField(page).fill('after the refresh');
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
});

test('messages are listed after Cognito has responded with 503', {
  tag: SEVERAL_MACHINES,
}, async ({ page, cloud, signUp }) => {
  cloud.faults.set(shortTokens);
  await openList({ page, signUp });
  cloud.faults.set({ tokenSeconds: 3600, faults: [{ service: 'cognito-idp', kind: 'status', status: 503 }] });
  await page.reload();
  cloud.faults.set({});
  await expect(async () => {
    await page.goto('/test-message');
    expect(await page.getByText(t('test-message:list.empty')).isVisible()).toBe(true);
  }).toPass();
});

/** The test message page in a session whose tokens expire. The name of the file selects it for several machines. */
import { SEVERAL_MACHINES } from '../../../support/processes/topology.ts';
import { expect, test } from '../../support/fixtures.ts';
import { messageField, openList, sendButton, sentNotice } from './message-list.ts';

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

/** The Content-Security-Policy on the test message page. */
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { recordPolicyViolations } from '../../support/recordings.ts';
import { navigationLink } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, openList, sendButton, sentNotice } from './message-list.ts';

// threat-model: T-053, T-072
test('a message and a failed list violate the policy nowhere and send requests only to the site', async ({
  page,
  context,
  cloud,
  site,
  signUp,
}) => {
  const violations = await recordPolicyViolations(context);
  const origins = new Set<string>();
  context.on('request', (request) => origins.add(new URL(request.url()).origin));
  await openList({ page, signUp });
  await messageField(page).fill('within the policy');
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
  cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
  await page.goto('/test-message');
  await expect(page.getByText(translationsOf('en')('test-message:list.failed'))).toBeVisible();
  await waitForHydration(page);
  cloud.faults.set({});
  await page.goto('/');
  await navigationLink(page, 'test-message').click();
  await expect(page.getByText('within the policy')).toBeVisible();
  expect(violations).toEqual([]);
  expect([...origins]).toEqual([site.origin]);
});

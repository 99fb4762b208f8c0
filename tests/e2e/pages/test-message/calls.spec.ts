/** The layout of the test message page, and calls that fail in its timing report. */
import type { Page } from '@playwright/test';
import { expect, test } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, openList, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');
const unavailable = { faults: [{ service: 'graphql', kind: 'status', status: 503 }] };

const report = (page: Page) => page.getByRole('complementary', { name: t('test-message:timing.title') });
const chart = (page: Page, name: 'posted' | 'listed') =>
  report(page).getByRole('region', { name: t(`test-message:timing.${name}`) });

/** The left and top edges of the composer, the list and the report. */
async function positions(page: Page) {
  const list = page.getByRole('region', { name: t('test-message:list.title') });
  const boxes = await Promise.all([messageField(page), list, report(page)].map((part) => part.boundingBox()));
  return boxes.map((box) => ({ x: box?.x ?? Number.NaN, y: box?.y ?? Number.NaN }));
}

test('the report is after the list on narrow windows and beside it on wide ones, even if the list fails', async ({
  page,
  cloud,
  signUp,
}) => {
  await openList({ page, signUp });
  for (const faults of [{}, unavailable]) {
    cloud.faults.set(faults);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto('/test-message');
    const [composer, list, aside] = await positions(page);
    expect(composer?.y).toBeLessThan(list?.y ?? 0);
    expect(list?.y).toBeLessThan(aside?.y ?? 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    const [wideComposer, wideList, wideAside] = await positions(page);
    expect(wideList?.x).toBeLessThan(wideComposer?.x ?? 0);
    expect(wideList?.x).toBeLessThan(wideAside?.x ?? 0);
    expect(wideAside?.y).toBeLessThan(wideList?.y ?? 0);
  }
});

test('signed-out visitors see a recorded call first, and can create an account or sign in', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/test-message');
  const main = page.getByRole('main');
  const example = main.getByRole('region', { name: t('test-message:timing.posted') });
  await expect(main.getByText(t('test-message:signedOut.example'))).toBeVisible();
  await expect(example.getByRole('listitem')).toHaveCount(4);
  await expect(example).toContainText(t('test-message:leg.identity.description'));
  await expect(example).toContainText('26 ms');
  const invitation = main.getByRole('heading', { name: t('test-message:signedOut.title') });
  const [exampleBox, invitationBox] = [await example.boundingBox(), await invitation.boundingBox()];
  expect(exampleBox?.y).toBeLessThan(invitationBox?.y ?? 0);
  await expect(main.getByRole('link')).toHaveText([
    t('test-message:signedOut.signUp'),
    t('test-message:signedOut.signIn'),
  ]);
});

test('a list that fails is drawn up to the leg that failed, with the number of attempts', async ({
  page,
  cloud,
  signUp,
}) => {
  cloud.faults.set(unavailable);
  await openList({ page, signUp });
  const legs = chart(page, 'listed').getByRole('listitem');
  await expect(legs).toHaveCount(5);
  await expect(legs.nth(3)).toContainText(t('test-message:timing.failed'));
  await expect(legs.last()).toContainText(t('test-message:leg.pause.name'));
  await expect(legs.nth(3)).toContainText(t('test-message:timing.attempts_other', { count: '3' }));
  await expect(legs.first()).not.toContainText(t('test-message:timing.failed'));
});

test('legs that a failed call did not reach are marked', async ({ page, cloud, signUp }) => {
  cloud.faults.set({
    faults: [{ service: 'cognito-identity', kind: 'error', error: 'NotAuthorizedException' }],
  });
  await openList({ page, signUp });
  const notReached = t('test-message:timing.notReached');
  const legs = chart(page, 'listed').getByRole('listitem');
  await expect(legs.nth(0)).not.toContainText(notReached);
  await expect(legs.nth(1)).toContainText(t('test-message:timing.failed'));
  await expect(legs.nth(2)).toContainText(notReached);
  await expect(legs.nth(3)).toContainText(notReached);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a post that fails replaces the calls before it', async ({ page, cloud, signUp }) => {
      await openList({ page, signUp, javaScriptEnabled });
      await messageField(page).fill('first');
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      await expect(chart(page, 'posted')).toBeVisible();
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('link', { name: t('test-message:compose.seeTiming') }).click();
      await expect(report(page).getByRole('heading').first()).toBeInViewport();
      cloud.faults.set(unavailable);
      await messageField(page).fill('second');
      await sendButton(page).click();
      await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
      await expect(chart(page, 'posted').getByRole('listitem').last()).toContainText(
        t('test-message:timing.failed'),
      );
      await expect(chart(page, 'listed')).toHaveCount(0);
    });
  });
}

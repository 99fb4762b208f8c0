/** Deleting messages on the test message page, which can be undone. Without JavaScript the journey confirms it. */
import type { Page } from '@playwright/test';
import { examplePage, examplePath } from '../../../support/this-site.ts';
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { holdRequests, recordRequests } from '../../support/recordings.ts';
import { navigationLink } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';
import { ignoreLongTimers } from '../../support/walk.ts';
import { button, deleteButton, deletions, item, navigateTo, openList, refuseStream } from './message-list.ts';

const t = translationsOf('en');
const MINUTE = 60_000;

test.describe('deleting without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('says that a message no longer exists', async ({ page, signUp, javaScriptEnabled }) => {
    await openList({ page, signUp, javaScriptEnabled });
    await page.goto('/test-message?delete=01M7YRRT800000000000000000');
    await expect(page.getByText(t('test-message:error.gone'))).toBeVisible();
  });

  test('asks about the message in view', async ({ page, signUp, javaScriptEnabled }) => {
    await page.setViewportSize({ width: 360, height: 480 });
    await openList({ page, signUp, javaScriptEnabled }, ['To be confirmed', '2', '3', '4', '5', '6', '7']);
    await deleteButton(page, 'To be confirmed').click();
    await expect(page.getByText(t('test-message:list.confirm'))).toBeVisible();
    await expect(item(page, 'To be confirmed')).toBeInViewport();
  });
});

test.describe('deleting with JavaScript', () => {
  // On a slow machine ten seconds pass during a test.
  test.beforeEach(({ context }) => context.addInitScript(ignoreLongTimers));

  test('can be undone without a request, and keeps the position and the focus', async ({
    page,
    cloud,
    signUp,
  }) => {
    await openList({ page, signUp }, ['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    const target = deleteButton(page, 'two');
    await target.scrollIntoViewIfNeeded();
    await target.hover();
    const before = await page.evaluate(() => window.scrollY);
    await target.click();
    await expect(button(page, 'undo')).toBeFocused();
    await expect(button(page, 'undo')).toHaveAccessibleDescription(t('test-message:list.deleted'));
    await expect(item(page, 'two')).toHaveCount(0);
    // A shorter list may move the end of the page.
    expect(Math.abs((await page.evaluate(() => window.scrollY)) - before)).toBeLessThan(80);
    await button(page, 'undo').click();
    await expect(item(page, 'two')).toBeVisible();
    await expect(item(page, 'two')).toBeFocused();
    await page.reload();
    await expect(item(page, 'two')).toBeVisible();
    expect(deletions(cloud)).toBe(0);
  });

  test('keeps its two buttons on one line on a phone', async ({ page, signUp }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await openList({ page, signUp }, ['one']);
    await deleteButton(page, 'one').click();
    const [undo, dismiss] = await Promise.all([
      button(page, 'undo').boundingBox(),
      button(page, 'dismiss').boundingBox(),
    ]);
    expect(undo?.y).toBe(dismiss?.y);
  });

  test('sends the request when the notice is dismissed, and moves the focus to the next message', async ({
    page,
    cloud,
    signUp,
  }) => {
    await openList({ page, signUp }, ['one', 'two', 'three']);
    await deleteButton(page, 'two').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toBeFocused();
    await expect(button(page, 'undo')).toHaveCount(0);
    await expect.poll(() => deletions(cloud)).toBe(1);
    await page.reload();
    await expect(item(page, 'one')).toBeVisible();
    await expect(item(page, 'two')).toHaveCount(0);
  });

  for (const [way, leave] of [
    ['another page', (page: Page) => navigationLink(page, examplePage.name).click()],
    ['another document', (page: Page) => page.goto(examplePath())],
    ['another message', (page: Page) => deleteButton(page, 'two').click()],
  ] as const) {
    test(`sends the request when the visitor goes to ${way}`, async ({ page, cloud, signUp }) => {
      await openList({ page, signUp }, ['one', 'two']);
      await deleteButton(page, 'one').click();
      await expect(button(page, 'undo')).toBeFocused();
      expect(deletions(cloud)).toBe(0);
      await leave(page);
      await expect.poll(() => deletions(cloud)).toBe(1);
    });
  }

  test('puts the message back when the request fails, with the reason', async ({
    page,
    cloud,
    context,
    signUp,
  }) => {
    await openList({ page, signUp }, ['one']);
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toContainText(t('form.error.busy'));
    cloud.faults.set({});
    await context.clearCookies();
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toContainText(t('form.error.signed-out'));
    await expect(
      item(page, 'one').getByRole('link', { name: t('test-message:signedOut.signIn') }),
    ).toBeVisible();
  });

  test('is complete before the list is loaded again', async ({ page, signUp }) => {
    await refuseStream(page.context());
    await openList({ page, signUp }, ['one']);
    const release = await holdRequests(page, '**/api/graphql');
    const order: string[] = [];
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('/api/graphql')) order.push('deleted');
    });
    page.on('request', (request) => {
      if (request.url().includes('/test-message.data')) order.push('listed');
    });
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await navigateTo(page, examplePage);
    await page.goBack();
    release();
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
    expect(order).toEqual(['deleted', 'listed']);
  });

  test('says that a message was deleted in another tab', async ({ page, cloud, context, signUp }) => {
    await refuseStream(context);
    await openList({ page, signUp }, ['one', 'two']);
    const other = await context.newPage();
    await other.goto('/test-message');
    await waitForHydration(other);
    await deleteButton(other, 'one').click();
    await button(other, 'dismiss').click();
    await expect.poll(() => deletions(cloud)).toBe(1);
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(page.getByText(t('test-message:error.gone'))).toBeVisible();
    await expect(item(page, 'two')).toBeVisible();
  });
});

test('a deletion is requested after ten seconds', async ({ page, cloud, signUp }) => {
  await page.clock.install();
  await openList({ page, signUp }, ['one']);
  // From here on the time of the page passes only when the test says so.
  await page.clock.pauseAt(Date.now() + MINUTE);
  await deleteButton(page, 'one').click();
  await expect(button(page, 'undo')).toBeFocused();
  const sent = recordRequests(page, (request) => request.method() === 'POST');
  await page.clock.fastForward(9_900);
  // A request that was sent before this one is recorded.
  await page.evaluate(async () => (await fetch('/robots.txt')).text());
  expect(sent).toEqual([]);
  await page.clock.fastForward(200);
  await expect.poll(() => deletions(cloud)).toBe(1);
  await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
});

/**
 * The messages of the test message page: authors, deleting with "Undo", long and hostile texts, new and older messages.
 */
import type { Page } from '@playwright/test';
import { CREATE_MESSAGE } from '../../../app/pages/test-message/test-message.graphql.generated.ts';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { findViolations } from '../support/accessibility.ts';
import { expect, test } from '../support/fixtures.ts';
import { messageField, navigationLink, sendButton, sentNotice } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

async function signUp(page: Page, cloud: LocalCloud, email = 'list@example.com'): Promise<void> {
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, cloud, email);
  await expect(messageField(page)).toBeVisible();
}

/** Posts messages through the GraphQL proxy, the first one first. Needs JavaScript. */
async function post(page: Page, contents: readonly string[]): Promise<void> {
  for (const content of contents) {
    const body = JSON.stringify({
      query: CREATE_MESSAGE.query,
      operationName: CREATE_MESSAGE.operationName,
      variables: { content },
    });
    const status = await page.evaluate(async (text) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/api/graphql', { method: 'POST', headers, body: text });
      await response.text();
      return response.status;
    }, body);
    expect(status).toBe(200);
  }
}

const list = (page: Page) => page.getByRole('region', { name: t('test-message:list.title') });
const item = (page: Page, text: string) => list(page).getByRole('listitem').filter({ hasText: text });
const button = (page: Page, key: string) =>
  list(page).getByRole('button', { name: t(`test-message:list.${key}`), exact: true });
const deleteButton = (page: Page, text: string) =>
  list(page).getByRole('button', { name: new RegExp(`${t('test-message:list.delete')}.*${text}`) });
const deletions = (cloud: LocalCloud) => cloud.faults.calls.graphql?.DeleteMessage ?? 0;

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 360, height: 740 } });

    test('a new message is in view on a phone', async ({ page, cloud }) => {
      await signUp(page, cloud);
      await messageField(page).fill('Here I am');
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      await expect(item(page, 'Here I am')).toBeInViewport({ ratio: 1 });
      await expect(sentNotice(page)).toBeInViewport();
    });
  });
}

test.describe('deleting without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('asks for a confirmation that can be canceled', async ({ page, cloud }) => {
    await signUp(page, cloud);
    await messageField(page).fill('To be confirmed');
    await sendButton(page).click();
    await deleteButton(page, 'To be confirmed').click();
    await expect(page.getByText(t('test-message:list.confirm'))).toBeVisible();
    await expect(item(page, 'To be confirmed')).toBeInViewport();
    await page.getByRole('link', { name: t('test-message:list.cancel') }).click();
    await expect(page.getByText(t('test-message:list.confirm'))).toHaveCount(0);
    await deleteButton(page, 'To be confirmed').click();
    await button(page, 'delete').click();
    await expect(page.getByText(t('test-message:list.deleted'))).toBeVisible();
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
    await expect(page).toHaveURL('/test-message#messages');
  });

  test('says that a message no longer exists', async ({ page, cloud }) => {
    await signUp(page, cloud);
    await page.goto('/test-message?delete=01M7YRRT800000000000000000');
    await expect(page.getByText(t('test-message:error.gone'))).toBeVisible();
  });
});

test.describe('deleting with JavaScript', () => {
  test('can be undone without a request, and keeps the position and the focus', async ({ page, cloud }) => {
    await signUp(page, cloud);
    await post(page, ['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    await page.reload();
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
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'undo').click();
    await expect(item(page, 'two')).toBeVisible();
    await expect(item(page, 'two')).toBeFocused();
    await page.reload();
    await expect(item(page, 'two')).toBeVisible();
    expect(deletions(cloud)).toBe(0);
  });

  test('keeps its two buttons on one line on a phone', async ({ page, cloud }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await signUp(page, cloud);
    await post(page, ['one']);
    await page.reload();
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
  }) => {
    await signUp(page, cloud);
    await post(page, ['one', 'two', 'three']);
    await page.reload();
    await deleteButton(page, 'two').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toBeFocused();
    await expect(button(page, 'undo')).toHaveCount(0);
    await expect.poll(() => deletions(cloud)).toBe(1);
    await page.reload();
    await expect(item(page, 'one')).toBeVisible();
    await expect(item(page, 'two')).toHaveCount(0);
  });

  test('sends the request after ten seconds', async ({ page, cloud }) => {
    await page.clock.install();
    await signUp(page, cloud);
    await post(page, ['one']);
    await page.reload();
    await deleteButton(page, 'one').click();
    await expect(button(page, 'undo')).toBeFocused();
    await page.clock.fastForward(9_000);
    expect(deletions(cloud)).toBe(0);
    await page.clock.fastForward(1_500);
    await expect.poll(() => deletions(cloud)).toBe(1);
    await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
  });

  for (const [way, leave] of [
    ['another page', (page: Page) => navigationLink(page, 'typography-demo').click()],
    ['another document', (page: Page) => page.goto('/typography-demo')],
    ['another message', (page: Page) => deleteButton(page, 'two').click()],
  ] as const) {
    test(`sends the request when the visitor goes to ${way}`, async ({ page, cloud }) => {
      await signUp(page, cloud);
      await post(page, ['one', 'two']);
      await page.reload();
      await deleteButton(page, 'one').click();
      await expect(button(page, 'undo')).toBeFocused();
      expect(deletions(cloud)).toBe(0);
      await leave(page);
      await expect.poll(() => deletions(cloud)).toBe(1);
    });
  }

  test('puts the message back when the request fails, with the reason', async ({ page, cloud, context }) => {
    await signUp(page, cloud);
    await post(page, ['one']);
    await page.reload();
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toContainText(t('test-message:error.busy'));
    cloud.faults.set({});
    await context.clearCookies();
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(item(page, 'one')).toContainText(t('test-message:error.signed-out'));
    await expect(
      item(page, 'one').getByRole('link', { name: t('test-message:signedOut.signIn') }),
    ).toBeVisible();
  });

  test('says that a message was deleted in another tab', async ({ page, cloud, context }) => {
    await signUp(page, cloud);
    await post(page, ['one', 'two']);
    await page.reload();
    const other = await context.newPage();
    await other.goto('/test-message');
    await deleteButton(other, 'one').click();
    await button(other, 'dismiss').click();
    await expect.poll(() => deletions(cloud)).toBe(1);
    await deleteButton(page, 'one').click();
    await button(page, 'dismiss').click();
    await expect(page.getByText(t('test-message:error.gone'))).toBeVisible();
    await expect(item(page, 'two')).toBeVisible();
  });
});

test('pseudonyms distinguish authors, and the visitor’s own messages are marked', async ({
  page,
  cloud,
  browser,
  site,
}) => {
  await signUp(page, cloud, 'ada@example.com');
  await post(page, ['from Ada', 'from Ada again']);
  const other = await browser.newContext({ baseURL: site.origin });
  const grace = await other.newPage();
  await signUp(grace, cloud, 'grace@example.com');
  await post(grace, ['from Grace']);
  await grace.reload();
  await expect(item(grace, 'from Grace')).toContainText(t('test-message:list.you'));
  const names = await Promise.all(
    ['from Ada', 'from Ada again'].map(async (text) => {
      const author = grace.getByRole('listitem').filter({ has: grace.getByText(text, { exact: true }) });
      return (await author.textContent())?.match(/Author [0-9A-HJKMNP-TV-Z]{4}/)?.[0];
    }),
  );
  expect(names[0]).toBeDefined();
  expect(names[0]).toBe(names[1]);
  expect(await findViolations(grace)).toEqual([]);
  await other.close();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'texts with JavaScript' : 'texts without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a long text is cut, and shown by its button', async ({ page, cloud }) => {
      await signUp(page, cloud);
      const text = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
      await messageField(page).fill(text);
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      const long = item(page, 'line 30');
      const height = async () => (await long.boundingBox())?.height ?? 0;
      const cut = await height();
      expect(cut).toBeLessThan(420);
      await long.getByText(t('test-message:list.showAll')).click();
      await expect.poll(height).toBeGreaterThan(cut + 300);
      await long.getByText(t('test-message:list.showLess')).click();
      await expect.poll(height).toBe(cut);
    });
  });
}

const hostileTexts: [name: string, text: string][] = [
  ['an override of the direction', '\u202e\u2067 override \u2069\u2069\u2069 \u202d x'],
  ['combining marks', `Z${'\u0310\u0301\u0302\u0327\u0328\u0489'.repeat(80)}`],
  ['zero-width characters', '\u200b\u200d\ufeff\u2060'.repeat(120)],
  ['500 line breaks', `top${'\n'.repeat(490)}bottom`],
  ['one word of 500 letters', 'W'.repeat(500)],
];

test.describe('hostile texts', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  for (const [name, text] of hostileTexts) {
    test(`${name}: neighbors are neither moved nor painted over`, async ({ page, cloud }) => {
      await signUp(page, cloud);
      await post(page, ['below', text, 'above']);
      await page.reload();
      await expect(item(page, 'above')).toBeVisible();
      await expect(page.getByRole('button', { name: t('test-message:compose.send') })).toBeVisible();
      const items = list(page).getByRole('listitem');
      const boxes = await Promise.all([0, 1, 2].map((index) => items.nth(index).boundingBox()));
      const [above, hostile, below] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
      expect(above?.width).toBe(below?.width);
      expect(above?.height).toBe(below?.height);
      expect(hostile?.width).toBe(above?.width);
      expect(hostile?.height).toBeLessThan(900);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      // The neighbors look the same without the hostile text.
      const shot = (index: number) => items.nth(index).screenshot({ animations: 'disabled' });
      const pictures = [await shot(0), await shot(2)];
      await items
        .nth(1)
        .locator('p')
        .first()
        .evaluate((paragraph) => {
          paragraph.style.visibility = 'hidden';
        });
      expect((await shot(0)).equals(pictures[0] ?? Buffer.alloc(0))).toBe(true);
      expect((await shot(2)).equals(pictures[1] ?? Buffer.alloc(0))).toBe(true);
    });
  }
});

test('a draft survives a visit to another page, and is cleared by signing out', async ({ page, cloud }) => {
  await signUp(page, cloud);
  await messageField(page).fill('Unfinished');
  await navigationLink(page, 'typography-demo').click();
  await expect(page).toHaveURL('/typography-demo');
  await navigationLink(page, 'test-message').click();
  await expect(messageField(page)).toHaveValue('Unfinished');
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
  await navigationLink(page, 'typography-demo').click();
  await navigationLink(page, 'test-message').click();
  await expect(messageField(page)).toHaveValue('');

  await messageField(page).fill('Not for others');
  await navigationLink(page, 'typography-demo').click();
  await expect(page).toHaveURL('/typography-demo');
  await page.locator('summary').filter({ hasText: 'list@example.com' }).click();
  await page.getByRole('button', { name: t('account.signOut') }).click();
  await expect(page.getByRole('banner').getByRole('link', { name: t('account.signIn') })).toBeVisible();
  expect(await page.evaluate(() => Object.values(sessionStorage).join())).not.toContain('Not for others');
});

test('new messages are offered when the visitor returns to the tab, and shown on request', async ({
  page,
  cloud,
  context,
}) => {
  await page.clock.install();
  await signUp(page, cloud);
  const other = await context.newPage();
  await other.goto('/test-message');
  await post(other, ['while you were away']);
  await page.clock.fastForward(10_000);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(button(page, 'showNew')).toHaveCount(0);
  await page.clock.fastForward(31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(button(page, 'showNew')).toBeVisible();
  await expect(item(page, 'while you were away')).toHaveCount(0);
  await button(page, 'showNew').click();
  await expect(item(page, 'while you were away')).toBeVisible();
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  await expect(button(page, 'showNew')).toHaveCount(0);
});

test('the focus moves to the heading with older messages, and a live region says so', async ({
  page,
  cloud,
}) => {
  await signUp(page, cloud);
  await post(
    page,
    Array.from({ length: 21 }, (_, index) => `number ${index + 1}`),
  );
  await page.reload();
  await page.getByRole('link', { name: t('test-message:list.older') }).click();
  await expect(item(page, 'number 1')).toHaveCount(1);
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  await expect(list(page).getByRole('status')).toContainText(t('test-message:list.shownOlder'));
  await page.getByRole('link', { name: t('test-message:list.newest') }).click();
  await expect(list(page).getByRole('status')).toContainText(t('test-message:list.shownNewest'));
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
});

test('the exact time can be reached by keyboard', async ({ page, cloud }) => {
  await signUp(page, cloud);
  await post(page, ['now']);
  await page.reload();
  const time = item(page, 'now').getByRole('button', { expanded: false });
  await time.focus();
  await page.keyboard.press('Enter');
  await expect(item(page, 'now')).toContainText(String(new Date().getFullYear()));
});

/** The messages of the test message page: authors, long and hostile texts, drafts, new and older messages. */
import { pageNamed } from '../../../../app/pages.ts';
import { examplePage } from '../../../support/this-site.ts';
import { findViolations } from '../../support/accessibility.ts';
import { expect, test } from '../../support/fixtures.ts';
import { recordRequests } from '../../support/recordings.ts';
import { waitForFonts } from '../../support/shown-fonts.ts';
import { translationsOf } from '../../support/translations.ts';
import {
  button,
  item,
  list,
  messageField,
  navigateTo,
  openList,
  postMessages,
  refuseStream,
  sendButton,
  sentNotice,
} from './message-list.ts';

const t = translationsOf('en');

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 360, height: 740 } });

    test('a new message is in view on a phone', async ({ page, signUp }) => {
      await openList({ page, signUp, javaScriptEnabled });
      await messageField(page).fill('Here I am');
      await sendButton(page).click();
      await expect(sentNotice(page)).toBeVisible();
      await expect(item(page, 'Here I am')).toBeInViewport({ ratio: 1 });
      await expect(sentNotice(page)).toBeInViewport();
    });
  });
}

test('a message that is listed before the form has its response is shown once', async ({ page, signUp }) => {
  await refuseStream(page.context());
  await openList({ page, signUp });
  let respond = () => {};
  const responding = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await page.route('**/test-message.data*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await responding;
    await route.fulfill({ response });
  });
  await messageField(page).fill('Once');
  await sendButton(page).click();
  await expect(item(page, 'Once')).toContainText(t('test-message:list.sending'));
  await expect(async () => {
    await page.evaluate(() => window.__remixRouter.revalidate());
    await expect(item(page, 'Once')).toContainText(t('test-message:list.you'), { timeout: 2000 });
  }).toPass();
  await expect(item(page, 'Once')).toHaveCount(1);
  respond();
  await expect(sentNotice(page)).toBeVisible();
  await expect(item(page, 'Once')).toHaveCount(1);
});

test('pseudonyms distinguish authors, and the visitor’s own messages are marked', async ({
  page,
  context,
  signUp,
}) => {
  await postMessages(await signUp('ada@example.com'), ['from Ada', 'from Ada again']);
  await context.clearCookies();
  await postMessages(await signUp('grace@example.com'), ['from Grace']);
  await page.goto('/test-message');
  await expect(item(page, 'from Grace')).toContainText(t('test-message:list.you'));
  const names = await Promise.all(
    ['from Ada', 'from Ada again'].map(async (text) => {
      const author = page.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });
      return (await author.textContent())?.match(/Author [0-9A-HJKMNP-TV-Z]{4}/)?.[0];
    }),
  );
  expect(names[0]).toBeDefined();
  expect(names[0]).toBe(names[1]);
  expect(await findViolations(page)).toEqual([]);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a long text is cut, and shown by its button', async ({ page, signUp, javaScriptEnabled }) => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
    await openList({ page, signUp, javaScriptEnabled }, [text]);
    // The files of the fonts are loaded before the height of a message is measured.
    const fonts = () => page.evaluate(() => document.fonts.status);
    await expect.poll(fonts).toBe('loaded');
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

const hostileTexts: [name: string, text: string][] = [
  ['an override of the direction', '\u202e\u2067 override \u2069\u2069\u2069 \u202d x'],
  ['combining marks', `Z${'\u0310\u0301\u0302\u0327\u0328\u0489'.repeat(80)}`],
  ['zero-width characters', `x${'\u200b\u200d\ufeff\u2060'.repeat(120)}`],
  ['500 line breaks', `top${'\n'.repeat(490)}bottom`],
  ['one word of 500 letters', 'W'.repeat(500)],
];

test.describe('hostile texts', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  for (const [name, text] of hostileTexts) {
    test(`${name}: neighbors are neither moved nor painted over`, async ({ page, signUp }) => {
      // The page shows the same age of the messages for as long as the test takes.
      await page.clock.setFixedTime(Date.now());
      await openList({ page, signUp }, ['below', text, 'above']);
      await waitForFonts(page);
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
      // Nothing scrolls between two pictures in a window as high as the page.
      await page.setViewportSize({ width: 360, height: 3000 });
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

test('a draft survives a visit to another page, and is cleared by sending it', async ({ page, signUp }) => {
  await openList({ page, signUp });
  await messageField(page).fill('Unfinished');
  await navigateTo(page, examplePage);
  await navigateTo(page, pageNamed('test-message'));
  await expect(messageField(page)).toHaveValue('Unfinished');
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
  await navigateTo(page, examplePage);
  await navigateTo(page, pageNamed('test-message'));
  await expect(messageField(page)).toHaveValue('');
});

test('new messages are offered when the visitor returns to the tab, and shown on request', async ({
  page,
  signUp,
}) => {
  await refuseStream(page.context());
  const openedAt = Date.now();
  await page.clock.setFixedTime(openedAt);
  const visitor = await openList({ page, signUp });
  await postMessages(visitor, ['while you were away']);
  const checks = recordRequests(page, (request) => request.url().endsWith('/api/graphql'));
  await page.clock.setFixedTime(openedAt + 10_000);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.clock.setFixedTime(openedAt + 31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(button(page, 'showNew')).toBeVisible();
  expect(checks, 'none after ten seconds').toHaveLength(1);
  await expect(item(page, 'while you were away')).toHaveCount(0);
  await button(page, 'showNew').click();
  await expect(item(page, 'while you were away')).toBeVisible();
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  await expect(button(page, 'showNew')).toHaveCount(0);
});

test('the focus moves to the heading with older messages, and a live region says so', async ({
  page,
  signUp,
}) => {
  await openList(
    { page, signUp },
    Array.from({ length: 21 }, (_, index) => `number ${index + 1}`),
  );
  await page.getByRole('link', { name: t('test-message:list.older') }).click();
  await expect(item(page, 'number 1')).toHaveCount(1);
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  await expect(list(page).getByRole('status')).toContainText(t('test-message:list.shownOlder'));
  await page.getByRole('link', { name: t('test-message:list.newest') }).click();
  await expect(list(page).getByRole('status')).toContainText(t('test-message:list.shownNewest'));
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
});

test('a page with messages is hydrated at once, and shows their age, and the exact time by keyboard', async ({
  page,
  signUp,
}) => {
  await openList({ page, signUp }, ['Just now']);
  // Without scripts the time is a date.
  await expect(page.getByRole('button').locator('time')).toHaveCount(1);
  await item(page, 'Just now').getByRole('button', { expanded: false }).focus();
  await page.keyboard.press('Enter');
  await expect(item(page, 'Just now')).toContainText(String(new Date().getFullYear()));
});

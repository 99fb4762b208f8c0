/** Messages that arrive by themselves: two browsers, one of them in Arabic on a phone, and several tabs. */
import { Agent } from 'node:http';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { DELETE_MESSAGE } from '../../../../app/graphql/messages.graphql.generated.ts';
import { pathOf } from '../../../../app/i18n/localized-page.ts';
import { pageNamed } from '../../../../app/pages.ts';
import { signUpVisitor } from '../../../support/sign-in/site-visitor.ts';
import { other } from '../../../support/this-site.ts';
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';
import {
  deleteButton,
  item,
  list,
  messageField,
  openList,
  postMessages,
  sendButton,
} from './message-list.ts';

const t = translationsOf('en');
const EVENTS = '/api/messages/events';
/** A stream is opened again after two seconds, and the list is loaded after up to three. */
const reopened = { timeout: 60_000 };

/** Opens the list, and waits until events arrive. */
async function openLive(...[options, contents = []]: Parameters<typeof openList>) {
  const opened = options.page.waitForResponse((response) => response.url().endsWith(EVENTS));
  const visitor = await openList(options, contents);
  await opened;
  // The subscription of the process has started when a message arrives.
  await postMessages(visitor, ['Live']);
  await expect(item(options.page, 'Live')).toBeVisible();
  return visitor;
}

/** A text of `live` for a number. */
const plural = (key: string, count: number) => t(`test-message:live.${key}`, { count: String(count) });

/** How many streams the pages have opened. */
function countStreams(context: BrowserContext): () => number {
  let count = 0;
  context.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith(EVENTS)) count += 1;
  });
  return () => count;
}

test('a message appears in another language by itself, and vanishes when it is deleted', async ({
  page,
  browser,
  signUp,
  site,
}) => {
  const visitor = await openLive({ page, signUp });
  const context = await copyOf(page.context(), browser, { viewport: { width: 360, height: 740 } });
  const second = await context.newPage();
  const opened = second.waitForResponse((response) => response.url().endsWith(EVENTS));
  await second.goto(site.origin + pathOf(pageNamed('test-message'), other));
  await waitForHydration(second);
  await opened;
  await messageField(page).fill('From the first');
  await sendButton(page).click();
  await expect(item2(second, 'From the first')).toHaveCount(1);
  await expect(item(page, 'From the first')).toHaveCount(1);
  await postMessages(visitor, ['Of a third']);
  await expect(item2(second, 'Of a third')).toHaveCount(1);
  await expect(item(page, 'Of a third')).toHaveCount(1);
  await deleteButton(page, 'From the first').click();
  await page.getByRole('button', { name: t('test-message:list.dismiss') }).click();
  await expect(item2(second, 'From the first')).toHaveCount(0);
  await context.close();
});

/** The message with this text, in any language. */
const item2 = (page: Page, text: string) => page.locator('#messages li').filter({ hasText: text });

/** Another browser with the same session. */
async function copyOf(context: BrowserContext, browser: Browser, options: object): Promise<BrowserContext> {
  return browser.newContext({ ...options, storageState: await context.storageState() });
}

test('what is read and typed stays in place, and new messages are offered', async ({
  page,
  signUp,
  site,
  cloud,
}) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  const texts = Array.from({ length: 15 }, (_, index) => `number ${index + 1};`);
  const visitor = await openLive({ page, signUp }, texts);
  await messageField(page).pressSequentially('Half a sen');
  await postMessages(visitor, ['while typing']);
  await expect(item(page, 'while typing')).toBeVisible();
  await page.keyboard.type('tence');
  await expect(messageField(page)).toHaveValue('Half a sentence');
  const read = item(page, 'number 4;');
  await read.scrollIntoViewIfNeeded();
  const top = async () => Math.round((await read.boundingBox())?.y ?? 0);
  const before = await top();
  const offer = page.getByRole('button', { name: plural('new_other', 3) });
  const agent = new Agent();
  const elsewhere = await signUpVisitor({ site, cloud }, agent, 'ben@example.com');
  await postMessages(elsewhere, ['one', 'two']);
  await expect(item(page, 'two')).toHaveCount(1);
  await expect(list(page).getByText(plural('new_other', 2))).toHaveCount(1);
  await expect(offer).toHaveCount(0);
  await postMessages(elsewhere, ['three']);
  await expect(offer).toBeInViewport();
  expect(await top()).toBe(before);
  await offer.click();
  await expect(item(page, 'three')).toBeInViewport();
  await expect(page.getByRole('heading', { name: t('test-message:list.title') })).toBeFocused();
  await expect(offer).toHaveCount(0);
  agent.destroy();
});

test('a deleted message that has the focus passes it on', async ({ page, signUp }) => {
  const visitor = await openLive({ page, signUp }, ['stays']);
  const id = (await item(page, 'Live').getAttribute('id'))?.replace('message-', '') ?? '';
  await item(page, 'Live').getByRole('button').last().focus();
  const { query, operationName } = DELETE_MESSAGE;
  await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables: { id } }),
  });
  await expect(item(page, 'Live')).toHaveCount(0);
  await expect(item(page, 'stays')).toBeFocused();
});

test('two tabs have one stream, and the other takes it over', async ({ page, context, signUp }) => {
  const streams = countStreams(context);
  const visitor = await openLive({ page, signUp });
  const second = await context.newPage();
  await second.goto('/test-message');
  await waitForHydration(second);
  await postMessages(visitor, ['for both']);
  for (const tab of [page, second]) await expect(item(tab, 'for both')).toHaveCount(1);
  expect(streams()).toBe(1);
  await page.close();
  await expect.poll(streams).toBe(2);
  await postMessages(visitor, ['for one']);
  await expect(item(second, 'for one')).toHaveCount(1, reopened);
});

test('a list is complete after the stream was interrupted, and says so meanwhile', async ({
  page,
  signUp,
  context,
}) => {
  const visitor = await openLive({ page, signUp });
  await context.setOffline(true);
  await expect(list(page).getByText(t('test-message:live.offline'), { exact: true })).toBeVisible();
  await postMessages(visitor, ['while offline']);
  await context.setOffline(false);
  await expect(item(page, 'while offline')).toHaveCount(1, reopened);
  await expect(list(page).getByText(t('test-message:live.offline'), { exact: true })).toHaveCount(0);
});

test('a list is complete after the data API was away', async ({ page, cloud, signUp }) => {
  const visitor = await openLive({ page, signUp });
  await cloud.disconnect();
  await cloud.reconnect();
  await expect
    .poll(
      () =>
        postMessages(visitor, ['after the drop']).then(
          () => true,
          () => false,
        ),
      reopened,
    )
    .toBe(true);
  await expect(item(page, 'after the drop').first()).toBeVisible(reopened);
});

// threat-model: T-147
test('the page of a session that was ended elsewhere shows no messages any more', async ({
  page,
  signUp,
}) => {
  const visitor = await openLive({ page, signUp });
  const streamed = page.waitForEvent('requestfinished', (request) => request.url().endsWith(EVENTS));
  await visitor.request('/auth/sign-out', { method: 'POST' });
  await streamed;
  await expect(page.getByText(t('test-message:signedOut.title'))).toBeVisible(reopened);
  await expect(item2(page, 'Live')).toHaveCount(0);
});

test('a stream that was refused is opened again, if the visitor has signed in again meanwhile', async ({
  page,
  context,
  signUp,
}) => {
  await context.route(EVENTS, (route) => route.fulfill({ status: 401 }));
  const refused = page.waitForResponse((response) => response.request().method() === 'HEAD');
  const visitor = await openList({ page, signUp });
  await refused;
  const opened = page.waitForResponse((response) => response.url().endsWith(EVENTS) && response.ok());
  await context.unroute(EVENTS);
  await opened;
  await postMessages(visitor, ['again']);
  await expect(item(page, 'again')).toHaveCount(1, reopened);
});

// The browser keeps no page in its cache whose document says `no-store`, so the test sends the events of one that does.
test('a page in the back/forward cache has no stream, and one again when it is restored', async ({
  page,
  context,
  signUp,
}) => {
  const streams = countStreams(context);
  const visitor = await openLive({ page, signUp });
  const send = (type: string) =>
    page.evaluate((name) => window.dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);
  const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith(EVENTS));
  await send('pagehide');
  await closed;
  await postMessages(visitor, ['while away']);
  await send('pageshow');
  await expect(item(page, 'while away')).toHaveCount(1, reopened);
  await postMessages(visitor, ['back again']);
  await expect(item(page, 'back again')).toHaveCount(1, reopened);
  expect(streams()).toBe(2);
});

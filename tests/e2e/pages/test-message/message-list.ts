/** The form and the list of messages on the test message page, in English. */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { CREATE_MESSAGE } from '../../../../app/graphql/messages.graphql.generated.ts';
import type { Page as SitePage } from '../../../../app/pages.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { type SignUp, waitForHydration } from '../../support/fixtures.ts';
import { expectPageAnnounced, navigationLink } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');

/** The text field for a new message. */
export const messageField = (page: Page): Locator => page.getByLabel(t('test-message:compose.label'));

export const sendButton = (page: Page): Locator =>
  page.getByRole('button', { name: t('test-message:compose.send') });

/** The confirmation that a message was sent. */
export const sentNotice = (page: Page): Locator => page.getByText(t('test-message:compose.sent'));

/** Lets no messages arrive by themselves. */
export async function refuseStream(context: BrowserContext): Promise<void> {
  await context.route('/api/messages/events', (route) => route.fulfill({ status: 503 }));
}

/** Posts messages through the GraphQL proxy, the first one first. */
export async function postMessages(visitor: SiteVisitor, contents: readonly string[]): Promise<void> {
  const { query, operationName } = CREATE_MESSAGE;
  for (const content of contents) {
    const { status } = await visitor.request('/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName, variables: { content } }),
    });
    expect(status).toBe(200);
  }
}

type ListTest = { page: Page; signUp: SignUp; javaScriptEnabled?: boolean };

/**
 * Opens the test message page of a new visitor who has posted these messages, the first one first. With JavaScript the
 * page is hydrated, so that its buttons do not load documents. Returns the visitor.
 */
export async function openList(
  { page, signUp, javaScriptEnabled = true }: ListTest,
  contents: readonly string[] = [],
): Promise<SiteVisitor> {
  const visitor = await signUp('list@example.com');
  await postMessages(visitor, contents);
  await page.goto('/test-message');
  await expect(messageField(page)).toBeVisible();
  if (javaScriptEnabled) await waitForHydration(page);
  return visitor;
}

/** Follows a link of the navigation on a hydrated page, and waits until the new page has the focus, which closes menus. */
export async function navigateTo(page: Page, sitePage: SitePage): Promise<void> {
  await navigationLink(page, sitePage.name).click();
  await expectPageAnnounced(page, sitePage);
}

export const list = (page: Page): Locator => page.getByRole('region', { name: t('test-message:list.title') });

/** The message with this text. */
export const item = (page: Page, text: string): Locator =>
  list(page).getByRole('listitem').filter({ hasText: text });

/** The button of the list whose name is the text `test-message:list.{key}`. */
export const button = (page: Page, key: string): Locator =>
  list(page).getByRole('button', { name: t(`test-message:list.${key}`), exact: true });

/** The button that deletes the message with this text. */
export const deleteButton = (page: Page, text: string): Locator =>
  list(page).getByRole('button', { name: new RegExp(`${t('test-message:list.delete')}.*${text}`) });

/** How many requests to delete a message the data API has received. */
export const deletions = (cloud: LocalCloud): number => cloud.faults.calls.graphql?.DeleteMessage ?? 0;

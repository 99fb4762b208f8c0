/** Live messages of a site that restarts. */
import { Agent } from 'node:http';
import type { BrowserContext, Page } from '@playwright/test';
import { LIST_MESSAGES } from '../../../../app/graphql/messages.graphql.generated.ts';
import { defaultLocale, type Locale } from '../../../../app/i18n/locales.ts';
import { pathOf } from '../../../../app/i18n/localized-page.ts';
import { pageNamed } from '../../../../app/pages.ts';
import { listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { startLocalCloud } from '../../../support/local-cloud.ts';
import { createLoadBalancer } from '../../../support/processes/load-balancer.ts';
import { freePort, startSite } from '../../../support/processes/site.ts';
import { startStack } from '../../../support/processes/stack.ts';
import { registerSecret } from '../../../support/secrets/secret-detection.ts';
import { type SiteVisitor, signUpVisitor } from '../../../support/sign-in/site-visitor.ts';
import { mirrored } from '../../../support/this-site.ts';
import { expect, test, waitForHydration } from '../../support/fixtures.ts';
import { item, messageField, postMessages } from './message-list.ts';

const signIn = (context: BrowserContext, { cookies }: SiteVisitor, url: string) =>
  context.addCookies([...cookies.cookies].map(([name, value]) => ({ name, value, url })));

test('a page goes on after a restart of the site, with what was posted meanwhile and the text in its field', async ({
  page,
  context,
}) => {
  const { site, cloud } = await startStack({ topology: 'one machine' });
  const agent = new Agent();
  const visitor = await signUpVisitor({ site, cloud }, agent, 'ada@example.com');
  await signIn(context, visitor, site.origin);
  await page.goto(`${site.origin}/test-message`);
  await waitForHydration(page);
  await messageField(page).fill('Half a sentence');
  await postMessages(visitor, ['before']);
  await expect(item(page, 'before')).toHaveCount(1);
  expect(await site.stop()).toBe(0);
  const next = await startSite(Number(new URL(site.origin).port), cloud.environment());
  await postMessages(visitor, ['after']);
  await expect(item(page, 'after')).toHaveCount(1, { timeout: 60_000 });
  await expect(messageField(page)).toHaveValue('Half a sentence');
  agent.destroy();
  expect(await next.stop()).toBe(0);
  await cloud.close();
});

/** The texts of the messages in the API, newest first. */
async function listed(visitor: SiteVisitor): Promise<string[]> {
  const { query, operationName } = LIST_MESSAGES;
  const { body } = await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables: { limit: 50 } }),
  });
  return JSON.parse(body).data.listMessages.items.map(({ content }: { content: string }) => content);
}

/** The texts of the messages on a page. The first paragraph of each is its text. */
const shown = (page: Page) => page.locator('#messages li > p:first-child').allTextContents();

/** Writes every error that the page shows to its console. */
function reportAlerts(): void {
  const report = () => {
    for (const { textContent } of document.querySelectorAll('[role=alert]')) console.error(textContent);
  };
  new MutationObserver(report).observe(document, { childList: true, subtree: true });
}

test('two browsers have what the API has, once, after each of two machines was replaced', async ({
  browser,
}) => {
  const cloud = await startLocalCloud({ onSecret: registerSecret });
  const ports: number[] = [];
  const balancer = createLoadBalancer(ports);
  const origin = (await listenOnLoopback(balancer)).replace('127.0.0.1', 'localhost');
  const environment = {
    ...cloud.environment({ appOrigin: origin }),
    ...{ APP_ORIGIN: origin, TRUSTED_PROXIES: '1' },
  };
  const start = async () => {
    const port = await freePort();
    const site = await startSite(port, environment);
    ports.push(port);
    return site;
  };
  const machines = [await start(), await start()];
  const agent = new Agent({ keepAlive: true });
  const errors: string[] = [];
  const open = async (email: string, locale: Locale) => {
    const visitor = await signUpVisitor({ site: { origin }, cloud }, agent, email);
    const context = await browser.newContext();
    context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await context.addInitScript(reportAlerts);
    await signIn(context, visitor, origin);
    const page = await context.newPage();
    await page.goto(origin + pathOf(pageNamed('test-message'), locale));
    await waitForHydration(page);
    return { visitor, page };
  };
  const { visitor, page } = await open('ada@example.com', defaultLocale);
  const pages = [page, (await open('ben@example.com', mirrored)).page];
  let posted = 0;
  const post = async (count: number) => {
    for (const end = posted + count; posted < end; posted += 1) {
      await postMessages(visitor, [`number ${posted + 1};`]);
    }
  };
  await post(3);
  for (const machine of [...machines]) {
    machines.push(await start());
    // A load balancer sends nothing to a machine that is not ready.
    ports.shift();
    const exited = machine.stop('SIGTERM');
    await post(4);
    expect(await exited).toBe(0);
    await post(4);
  }
  const expected = await listed(visitor);
  expect(expected).toHaveLength(posted);
  for (const one of pages) await expect.poll(() => shown(one)).toEqual(expected);
  expect(errors).toEqual([]);
  for (const one of pages) await one.context().close();
  agent.destroy();
  for (const machine of machines.slice(2)) expect(await machine.stop()).toBe(0);
  balancer.close();
  await cloud.close();
});

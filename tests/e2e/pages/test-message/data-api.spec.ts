/** The test message page when the data API fails, and requests to the GraphQL proxy from other sites. */
import { createServer } from 'node:http';
import type { Route } from '@playwright/test';
import { closeServer, listenOnLoopback } from '../../../support/http/loopback-server.ts';
import { expect, test } from '../../support/fixtures.ts';
import { navigationLink, openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, openList, sendButton, sentNotice } from './message-list.ts';

const t = translationsOf('en');

const unavailable = { faults: [{ service: 'graphql', kind: 'status', status: 503 }] };

// threat-model: T-069
test('a message is kept while the API is unavailable, and can be sent afterwards', async ({
  page,
  cloud,
  signUp,
}) => {
  await openList({ page, signUp });
  cloud.faults.set(unavailable);
  const text = messageField(page);
  await text.fill('Do not lose me');
  await sendButton(page).click();
  await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
  await expect(text).toHaveValue('Do not lose me');
  cloud.faults.set({});
  await sendButton(page).click();
  await expect(sentNotice(page)).toBeVisible();
  await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
});

test('a list that cannot be loaded shows an error and a link to try again', async ({
  page,
  cloud,
  signUp,
}) => {
  cloud.faults.set(unavailable);
  await openList({ page, signUp });
  await expect(page.getByText(t('test-message:list.failed'))).toBeVisible();
  cloud.faults.set({});
  await page.getByRole('link', { name: t('test-message:list.tryAgain') }).click();
  await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    // threat-model: T-069
    test('an empty message is reported at the field', async ({ page, signUp }) => {
      await openList({ page, signUp, javaScriptEnabled });
      await sendButton(page).click();
      const field = messageField(page);
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await expect(field).toHaveAccessibleDescription(new RegExp(t('test-message:error.empty')));
      await expect(field).toBeFocused();
    });
  });
}

test.describe('a link to the page', () => {
  // Remix reports a response that it cannot read.
  test.use({ expectedConsole: /status of 503|^SyntaxError|net::ERR_FAILED/ });

  const failures: [what: string, fail: (route: Route) => Promise<void>][] = [
    [
      'is refused',
      (route) =>
        route.fulfill({ status: 503, contentType: 'text/html', body: '<!doctype html><title>503</title>' }),
    ],
    ['does not reach the server', (route) => route.abort()],
  ];
  for (const [what, fail] of failures) {
    test(`loads the document when the request for its data ${what}`, async ({ page, signUp }) => {
      await signUp('writer@example.com');
      await openHydrated(page, '/');
      await page.route(/\/test-message\.data/, fail);
      const document = page.waitForResponse((response) => response.url().endsWith('/test-message'));
      await navigationLink(page, 'test-message').click();
      expect((await document).request().isNavigationRequest()).toBe(true);
      await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
    });
  }

  test('shows the messages that the visitor has seen when the server cannot be reached', async ({
    page,
    signUp,
  }) => {
    await openList({ page, signUp }, ['before the tunnel']);
    await navigationLink(page, 'index').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
    await page.route(/\.data/, (route) => route.abort());
    await navigationLink(page, 'test-message').click();
    await expect(page.getByText('before the tunnel')).toBeVisible();
    await expect(page.getByText(t('test-message:list.stale'))).toBeVisible();
  });
});

test('the proxy rejects an operation that the site does not ship', async ({ page, signUp }) => {
  await openList({ page, signUp });
  const status = await page.evaluate(async () => {
    const query = 'query ListMessages($limit: Int, $nextToken: String) { listMessages { nextToken } }';
    const response = await fetch('/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    await response.text();
    return response.status;
  });
  expect(status).toBe(403);
});

// threat-model: T-041
test('a page of another site cannot post to the proxy', async ({ cloud, context, site, signUp }) => {
  // No page of the site is open, since its calls would be counted too.
  await signUp('victim@example.com');
  const otherSite = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>evil</title>
      <form id="f" method="post" enctype="text/plain" action="${site.origin}/api/graphql"><input name='{"query":"' value='"}'></form>`);
  });
  const evil = await context.newPage();
  await evil.goto(await listenOnLoopback(otherSite));
  cloud.faults.forgetCalls();
  const outcomes = await evil.evaluate(async (origin) => {
    const attempt = (init: RequestInit) =>
      fetch(`${origin}/api/graphql`, {
        method: 'POST',
        credentials: 'include',
        body: '{"query":"{x}"}',
        ...init,
      }).then(
        (response) => response.type,
        () => 'blocked',
      );
    return [
      await attempt({ headers: { 'content-type': 'application/json' } }),
      await attempt({ headers: { 'content-type': 'text/plain' } }),
      await attempt({ mode: 'no-cors' }),
    ];
  }, site.origin);
  expect(outcomes).toEqual(['blocked', 'blocked', 'blocked']);
  const [response] = await Promise.all([
    evil.waitForResponse(`${site.origin}/api/graphql`),
    evil.evaluate(() => (document.getElementById('f') as HTMLFormElement).submit()),
  ]);
  expect(response.status()).toBe(403);
  expect(cloud.faults.calls.graphql ?? {}).toEqual({});
  await closeServer(otherSite);
});

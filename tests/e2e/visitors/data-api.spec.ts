/** The data API in trouble, and others who would like to use it. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from '@playwright/test';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

async function signUp(page: Page, cloud: LocalCloud): Promise<void> {
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, cloud, 'writer@example.com');
  await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
}

const down = { faults: [{ service: 'graphql', kind: 'status', status: 503 }] };

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    // threat-model: T-069
    test('what was written is kept when the API is down, and can be sent when it is back', async ({
      page,
      cloud,
    }) => {
      await signUp(page, cloud);
      cloud.faults.set(down);
      const text = page.getByLabel(t('test-message:compose.label'));
      await text.fill('Do not lose me');
      await page.getByRole('button', { name: t('test-message:compose.send') }).click();
      await expect(page.getByText(t('test-message:compose.failed'))).toBeVisible();
      await expect(text).toHaveValue('Do not lose me');
      cloud.faults.set({});
      await page.getByRole('button', { name: t('test-message:compose.send') }).click();
      await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
      await expect(page.getByText('Do not lose me', { exact: true })).toHaveCount(1);
    });

    test('a list that cannot be loaded says so and has a way to try again', async ({ page, cloud }) => {
      await signUp(page, cloud);
      cloud.faults.set(down);
      const response = await page.goto('/test-message');
      expect(response?.status()).toBe(503);
      await expect(page.getByText(t('test-message:list.failed'))).toBeVisible();
      cloud.faults.set({});
      await page.getByRole('link', { name: t('test-message:list.tryAgain') }).click();
      await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
    });

    // threat-model: T-069
    test('an empty message is told at the field', async ({ page, cloud }) => {
      await signUp(page, cloud);
      await page.getByRole('button', { name: t('test-message:compose.send') }).click();
      const field = page.getByLabel(t('test-message:compose.label'));
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await expect(field).toHaveAccessibleDescription(new RegExp(t('test-message:error.empty')));
      await expect(field).toBeFocused();
    });
  });
}

test('markup in a message is text', async ({ page, cloud }) => {
  await signUp(page, cloud);
  const text = `</script><img src=x onerror="alert(1)">{{count}} ‮override`;
  await page.getByLabel(t('test-message:compose.label')).fill(text);
  await page.getByRole('button', { name: t('test-message:compose.send') }).click();
  await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
  await page.reload();
  await expect(page.getByText(text, { exact: true })).toBeVisible();
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
});

test('the proxy answers a page of the site, and says where the time went', async ({ page, cloud }) => {
  await signUp(page, cloud);
  const answer = await page.evaluate(async () => {
    const query = 'query ListMessages($limit: Int, $nextToken: String) { listMessages { nextToken } }';
    const response = await fetch('/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, text: await response.text() };
  });
  // Not an operation that the site ships.
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
});

// threat-model: T-041
test('a foreign page cannot post to the proxy, whatever it tries', async ({ page, cloud, context, site }) => {
  await signUp(page, cloud);
  const foreign = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>evil</title>
      <form id="f" method="post" enctype="text/plain" action="${site.origin}/api/graphql"><input name='{"query":"' value='"}'></form>`);
  }).listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  const address = foreign.address();
  const evil = await context.newPage();
  await evil.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
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
        () => 'refused',
      );
    return [
      await attempt({ headers: { 'content-type': 'application/json' } }),
      await attempt({ headers: { 'content-type': 'text/plain' } }),
      await attempt({ mode: 'no-cors' }),
    ];
  }, site.origin);
  expect(outcomes).toEqual(['refused', 'refused', 'refused']);
  const [response] = await Promise.all([
    evil.waitForResponse(`${site.origin}/api/graphql`),
    evil.evaluate(() => (document.getElementById('f') as HTMLFormElement).submit()),
  ]);
  expect(response.status()).toBe(403);
  expect(cloud.faults.calls.graphql ?? {}).toEqual({});
  foreign.close();
});

/** A form or request that is too large: the browser gets the response although it has not sent everything yet. */
import type { Page } from '@playwright/test';
import { formPath, hasPage } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const ATTEMPTS = 10;
/** Addresses that take a form. */
const actions = ['/preferences', ...(hasPage('test-message') ? [formPath()] : [])];

/** Submits a form with a text of `length` letters as a browser without scripts does. Returns the status of the new document. */
async function submitText(page: Page, path: string, length: number): Promise<number> {
  const response = page.waitForResponse(
    (candidate) => candidate.request().method() === 'POST' && new URL(candidate.url()).pathname === path,
  );
  await page.evaluate(
    ([action, size]) => {
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action });
      const field = document.createElement('textarea');
      Object.assign(field, { name: 'content', value: 'a'.repeat(size), hidden: true });
      form.append(field);
      document.body.append(form);
      form.submit();
    },
    [path, length] as const,
  );
  return (await response).status();
}

// threat-model: T-067
test('a request of 2 MB resolves with status 413', async ({ page }) => {
  await page.goto('/');
  for (const path of actions) {
    const statuses = await page.evaluate(
      async ({ path, attempts }) => {
        const body = new URLSearchParams({ content: 'a'.repeat(2_000_000) });
        const found: number[] = [];
        for (let attempt = 0; attempt < attempts; attempt += 1) {
          const response = await fetch(path, { method: 'POST', body });
          // The checks of every test wait until the response is complete.
          await response.text();
          found.push(response.status);
        }
        return found;
      },
      { path, attempts: ATTEMPTS },
    );
    expect(statuses, path).toEqual(Array(ATTEMPTS).fill(413));
  }
});

for (const length of [70_000, 2_000_000]) {
  // threat-model: T-067
  test(`a form with a text of ${length} letters leads to the error page of the site`, async ({ page }) => {
    const action = actions.at(-1) ?? '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await page.goto(formPath());
      expect(await submitText(page, action, length), `attempt ${attempt}`).toBe(413);
      await expect(page.getByText('413', { exact: true })).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('error.413.title'));
    }
  });
}

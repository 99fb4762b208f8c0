/** A form as docs/make-it-yours.md describes it, when it succeeds and when it is refused. */
import type { BrowserContext, Page } from '@playwright/test';
import { defaultLocale, localizePath } from '../../../app/i18n/locales.ts';
import { mirrored } from '../../support/this-site.ts';
import { expect, waitForHydration } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';
import { test } from './recipe-page.ts';

/** More than any form may have. */
const TOO_LARGE = 'Too much to send. '.repeat(4000);

// The guide has its texts in English.
const field = (page: Page) => page.getByLabel('Your note');
const save = (page: Page) => page.getByRole('button', { name: 'Save the note' });
const thanks = (page: Page) => page.getByText('The note was received.');
const refusal = (page: Page) => page.getByRole('main').getByRole('alert');

async function openHydrated(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.mouse.move(5, 5);
  await waitForHydration(page);
}

async function submit(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await save(page).click();
}

for (const locale of [defaultLocale, mirrored]) {
  const t = translationsOf(locale.code);
  const path = localizePath('/notes', locale);

  test.describe(`with JavaScript in ${locale.name}`, () => {
    test('a form that is refused keeps its text, says why beside the button, and can be sent again', async ({
      page,
      context,
      signUp,
    }) => {
      await signUp('notes@example.com');
      await openHydrated(page, path);

      const invalid = 'word '.repeat(500);
      await submit(page, invalid);
      await expect(field(page)).toBeFocused();
      await expect(field(page)).toHaveAccessibleDescription('Write 1 to 2000 characters.');
      await expect(field(page)).toHaveValue(invalid);

      await submit(page, TOO_LARGE);
      await expect(refusal(page)).toContainText(t('error.413.description'));
      await expect(refusal(page)).toContainText(t('form.notSent'));
      await expect(field(page)).toHaveValue(TOO_LARGE);

      await context.setOffline(true);
      await submit(page, 'kept');
      await expect(refusal(page)).toContainText(t('form.error.offline'));
      await expect(field(page)).toHaveValue('kept');
      await context.setOffline(false);

      await save(page).click();
      await expect(thanks(page)).toBeVisible();
      await expect(refusal(page)).toHaveCount(0);
      await expect(field(page)).toHaveValue('');
    });
  });

  test.describe(`without JavaScript in ${locale.name}`, () => {
    test.use({ javaScriptEnabled: false });

    test('an invalid form is shown again with its text, and a success is said once', async ({
      page,
      signUp,
    }) => {
      await signUp('notes@example.com');
      await page.goto(path);
      const invalid = 'word '.repeat(500);
      const response = page.waitForResponse((candidate) => candidate.request().method() === 'POST');
      await submit(page, invalid);
      expect((await response).status()).toBe(422);
      await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
      await expect(field(page)).toHaveAccessibleDescription('Write 1 to 2000 characters.');
      await expect(field(page)).toBeFocused();
      await expect(field(page)).toHaveValue(invalid);
      await submit(page, 'short');
      await expect(thanks(page)).toBeVisible();
      await expect(field(page)).toHaveValue('');
      await page.reload();
      await expect(field(page)).toBeVisible();
      await expect(thanks(page)).toHaveCount(0);
    });

    test('a form that is too large leads to a page that says so, and back to its text', async ({
      page,
      signUp,
    }) => {
      await signUp('notes@example.com');
      await page.goto(path);
      await submit(page, TOO_LARGE);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('error.413.title'));
      await expect(page.getByText(t('server:goBack'))).toBeVisible();
      await page.goBack();
      await expect(field(page)).toHaveValue(TOO_LARGE);
    });
  });
}

test.describe('a form without an answer', () => {
  test('is given up, keeps its text, and is not sent twice at once', async ({ page, signUp }) => {
    await signUp('notes@example.com');
    await openHydrated(page, '/notes');
    const t = translationsOf('en');
    let requests = 0;
    await page.route('**/notes.data*', (route) => {
      if (route.request().method() === 'GET') return route.continue();
      requests += 1;
    });
    await submit(page, 'kept');
    await expect(save(page)).toHaveAttribute('aria-busy', 'true');
    await field(page).press('Tab');
    await save(page).click({ force: true });
    await expect(refusal(page)).toContainText(t('form.error.no-answer'), { timeout: 60_000 });
    expect(requests).toBe(1);
    await expect(field(page)).toHaveValue('kept');
    await page.unroute('**/notes.data*');
    await save(page).click();
    await expect(thanks(page)).toBeVisible();
  });
});

test('after the end of a session the form leads to the sign-in, and back to its text', async ({
  page,
  context,
  signUp,
}) => {
  const t = translationsOf('en');
  await signUp('notes@example.com');
  await openHydrated(page, '/notes');
  const cookies = await endSession(context);
  await submit(page, 'kept');
  await expect(refusal(page)).toContainText(t('form.error.signed-out'));
  await expect(field(page)).toHaveValue('kept');
  await refusal(page)
    .getByRole('link', { name: t('account.signIn') })
    .click();
  await expect(page.locator('input[name="password"]')).toBeVisible();
  await context.addCookies(cookies);
  await page.goto('/notes');
  await expect(field(page)).toHaveValue('kept');
});

/** Removes the cookies of the session, and returns them. */
async function endSession(context: BrowserContext) {
  const cookies = (await context.cookies()).filter(({ name }) => name.startsWith('session'));
  await context.clearCookies({ name: /^session/ });
  return cookies;
}

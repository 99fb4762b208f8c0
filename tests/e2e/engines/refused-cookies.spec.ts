/** A sign-in in browsers that keep no cookies. */
import { expect } from '@playwright/test';
import { test } from '../support/engines/fixtures.ts';
import { expectVisible } from '../support/engines/tab.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

test('the page after a sign-in says that the browser kept no cookie', async ({ tab, site }) => {
  await tab.goto(`${site.origin}/auth/sign-in?returnTo=/`);
  await expectVisible(tab, { css: 'input[name="password"]' });
  const state = new URL(await tab.url()).searchParams.get('state');
  await tab.goto(`${site.origin}/auth/callback?code=from-the-hosted-login&state=${state}`);
  await expectVisible(tab, { css: 'main p', name: t('server:signInError.no-cookies'), part: true });
  expect(await tab.cookies()).toEqual({});
});

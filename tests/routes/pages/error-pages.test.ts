/** What a browser shows for a request that is refused, on the page of the site and on the small one. */
import { describe, expect, it } from 'vitest';
import { loadTranslations } from '../../../app/i18n/translations.server.ts';
import { another, examplePath } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const { instance } = loadTranslations('public/locales');

const stack = setUpStack({ topology: 'one machine' });

const send = (method: string, path: string, headers: Record<string, string>, body = '') =>
  stack.send({
    method,
    path,
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers },
    ...(method === 'POST' ? { body } : {}),
  });

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a browser', () => {
  it.each([
    ['the address of a form', 'GET', '/preferences', {}, 405],
    ['a form without a known field', 'POST', '/preferences', form, 400],
    ['a form in another format', 'POST', '/preferences', { 'content-type': 'text/plain' }, 415],
    ['a form to a page that accepts none', 'POST', examplePath(another), form, 405],
    ['a page that does not exist', 'GET', `/${another.code}/nowhere`, {}, 404],
  ] as const)(
    'gets a page with status, title and description for %s',
    async (_what, method, path, headers, status) => {
      const referer = `${stack.site.origin}/${another.code}/somewhere`;
      const response = await send(method, path, { ...headers, referer }, 'unknown=1');
      const { t } = instance(another.code);
      expect(response.status).toBe(status);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.body).toContain(`<html lang="${another.iso}" dir="${another.dir}"`);
      expect(response.body).toContain(`<title>${t(`error.${status}.title`)} ·`);
      expect(response.body.replace(/<h1[^>]*>/, '<h1>')).toContain(`<h1>${t(`error.${status}.title`)}`);
    },
  );

  it('reads no English message of Remix, and not that the site is at fault', async () => {
    const path = examplePath(another);
    const { body } = await send('POST', path, form);
    expect(body.replace(/<script.*?<\/script>/gs, '')).not.toContain('Method Not Allowed');
    expect(body).not.toContain(instance(another.code).t('error.500.title'));
  });

  it('sees the chosen theme, and is still signed in, after a form that no page accepts', async () => {
    const ada = await stack.signUp('ada');
    const cookie = `theme=dark; ${ada.cookies.header()}`;
    const { status, body } = await send('POST', examplePath(), { ...form, cookie });
    expect(status).toBe(405);
    expect(body).toContain('data-theme="dark"');
    expect(body).toMatch(/<button [^>]*value="dark" aria-pressed="true"/);
    expect(body).toContain('ada@example.com');
    expect(body).toContain('action="/auth/sign-out"');
    expect(body).not.toContain('/auth/sign-in');
  });
});

it('client-side code gets the status alone', async () => {
  const { status, body } = await send('POST', '/preferences.data', form, 'unknown=1');
  expect(status).toBe(400);
  expect(body).not.toContain('<');
});

it('a program gets JSON', async () => {
  const { status, body } = await send('GET', '/preferences', { accept: 'application/json' });
  expect([status, JSON.parse(body).code]).toEqual([405, 'MethodNotAllowed']);
});

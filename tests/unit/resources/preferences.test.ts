import { describe, expect, it } from 'vitest';
import { action, loader } from '../../../app/resources/preferences.ts';
import { resourceRequest } from '../../support/http/resource-context.ts';
import { another, forThisSite, other } from '../../support/this-site.ts';

/** Posts the form. Returns what the route answers, also by throwing. */
async function post(
  fields: Record<string, string>,
  { path = '/preferences', variables = {} }: { path?: string; variables?: Record<string, string> } = {},
) {
  const args = await resourceRequest(path, { method: 'POST', body: new URLSearchParams(fields) }, variables);
  const response = await action(args).catch((thrown: unknown) => thrown);
  const cookies = args.context.cookies.lines();
  if (response === null) return { status: null, location: null, cookies };
  if (!(response instanceof Response)) throw response;
  return { status: response.status, location: response.headers.get('location'), cookies };
}

describe('a posted preference', () => {
  it.each(
    forThisSite([
      [{ locale: 'fr', returnTo: '/test-message?a=1#b' }, '/fr/test-message?a=1#b', 'locale=fr;'],
      [{ locale: 'en', returnTo: '/fr/test-message' }, '/test-message', 'locale=en;'],
      [{ theme: 'dark', returnTo: '/fr/test-message?a=1' }, '/fr/test-message?a=1', 'theme=dark;'],
      [{ languageOffer: 'dismissed', returnTo: '/fr' }, '/fr', 'language-offer=dismissed;'],
      [{ theme: 'light' }, '/', 'theme=light;'],
      [{ theme: 'light', returnTo: '//evil.example' }, '/', 'theme=light;'],
      [{ locale: 'en', returnTo: '/fr//evil.example' }, '/evil.example', 'locale=en;'],
      [{ locale: 'en', returnTo: '/fr/auth/sign-in' }, '/', 'locale=en;'],
    ]),
  )('%j is stored, and leads back to %s', async (fields, location, cookie) => {
    const answer = await post(fields);
    expect([answer.status, answer.location]).toEqual([303, location]);
    expect(answer.cookies).toEqual([expect.stringContaining(cookie)]);
    expect(answer.cookies[0]).toMatch(/; Secure; SameSite=Lax$/);
  });

  it('is stored with others of the same form', async () => {
    const { cookies, location } = await post({
      locale: another.code,
      theme: 'dark',
      languageOffer: 'dismissed',
      returnTo: `/${other.code}`,
    });
    expect(cookies.map((line) => line.split(';')[0]).sort()).toEqual([
      'language-offer=dismissed',
      `locale=${another.code}`,
      'theme=dark',
    ]);
    expect(location).toBe(`/${another.code}`);
  });

  it.each(
    forThisSite([
      { returnTo: '/fr' },
      { locale: 'xx' },
      { theme: 'blue' },
      { locale: 'fr', theme: 'blue' },
      { locale: 'xx', theme: 'dark' },
      { languageOffer: 'accepted' },
      { locale: 'xx', languageOffer: 'dismissed' },
    ]),
  )('%j gets 400 and stores nothing', async (fields: Record<string, string>) => {
    expect(await post(fields)).toEqual({ status: 400, location: null, cookies: [] });
  });

  it('of client-side code leads nowhere, unless it is the language', async () => {
    const path = '/preferences.data';
    expect(await post({ theme: 'dark', returnTo: `/${other.code}` }, { path })).toMatchObject({
      status: null,
    });
    expect(await post({ languageOffer: 'dismissed' }, { path })).toMatchObject({ status: null });
    expect(await post({ locale: other.code, returnTo: `/${other.code}` }, { path })).toMatchObject({
      location: `/${other.code}`,
    });
  });

  it('is stored without Secure on plain HTTP', async () => {
    const variables = { APP_ORIGIN: 'http://localhost:3000' };
    const { cookies } = await post(
      { locale: other.code, theme: 'dark', languageOffer: 'dismissed' },
      { variables },
    );
    expect(cookies).toHaveLength(3);
    for (const line of cookies) expect(line).not.toContain('Secure');
  });

  it('gets 405 with GET', () => {
    const response = loader();
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

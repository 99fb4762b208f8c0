/** What the routes of sign-in and sign-out answer and log, without a user pool. */
import { describe, expect, it } from 'vitest';
import { hostedLoginLanguage } from '../../../app/i18n/hosted-login.ts';
import { loader as callback } from '../../../app/resources/auth.callback.ts';
import { action as rejectSignIn, loader as signIn } from '../../../app/resources/auth.sign-in.ts';
import { action as signOut } from '../../../app/resources/auth.sign-out.ts';
import { action as rejectSignUp, loader as signUp } from '../../../app/resources/auth.sign-up.ts';
import { resourceRequest, respond, SITE_ORIGIN } from '../../support/http/resource-context.ts';
import { other, otherHome } from '../../support/this-site.ts';

const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '', SITE_ORIGIN);
const session = {
  state: 'signed-in',
  id: 'id',
  tokens: { accessToken: 'a', idToken: 'i', refreshToken: null, deviceKey: null, clockDrift: 0 },
  user: { sub: 'sub', email: null, name: null, groups: [] },
} as const;

describe.each([
  ['sign-in', signIn, rejectSignIn, '/oauth2/authorize'],
  ['sign-up', signUp, rejectSignUp, '/signup'],
] as const)('the address of %s', (name, loader, action, path) => {
  it('redirects to its page of the hosted login, in the language of the page', async () => {
    const args = await resourceRequest(`/auth/${name}?returnTo=${otherHome}`);
    const response = await respond(() => loader(args));
    expect(response.status).toBe(302);
    expect(locationOf(response).origin).toBe('https://login.example');
    expect(locationOf(response).pathname).toBe(path);
    expect(locationOf(response).searchParams.get('lang')).toBe(hostedLoginLanguage(other.code));
  });

  // threat-model: T-082
  it('asks for the password when another site leads to it', async () => {
    const promptFrom = async (site: string) => {
      const args = await resourceRequest(`/auth/${name}`, { headers: { 'sec-fetch-site': site } });
      return locationOf(await respond(() => loader(args))).searchParams.get('prompt');
    };
    expect([await promptFrom('cross-site'), await promptFrom('same-origin')]).toEqual(['login', null]);
  });

  it('rejects a prefetch and other methods', async () => {
    const prefetch = await resourceRequest(`/auth/${name}`, { headers: { 'sec-purpose': 'prefetch' } });
    expect((await loader(prefetch)).status).toBe(403);
    const head = await loader(await resourceRequest(`/auth/${name}`, { method: 'HEAD' }));
    for (const { status, headers } of [head, action()]) {
      expect([status, headers.get('allow')]).toEqual([405, 'GET']);
    }
  });
});

it('a prefetch of the callback is rejected', async () => {
  const args = await resourceRequest('/auth/callback?code=c&state=s', {
    headers: { 'sec-purpose': 'prefetch' },
  });
  expect((await callback(args)).status).toBe(403);
});

it('a callback says to a browser that keeps no cookies that it has to', async () => {
  const visit = async (accept: string) =>
    callback(await resourceRequest('/auth/callback?code=c&state=s', { headers: { accept } }));
  const { context } = await resourceRequest('/');
  const text = context.translations.instance('en').t('signInError.no-cookies', { ns: 'server' });
  const page = await visit('text/html');
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(text)]);
  expect(await (await visit('application/json')).json()).toMatchObject({ code: 'CookiesNeeded' });
});

describe('a sign-out', () => {
  async function post(form: Record<string, string>, variables: Record<string, string> = {}) {
    const init = { method: 'POST', body: new URLSearchParams(form) };
    const { context, ...args } = await resourceRequest('/auth/sign-out', init, variables);
    await signOut({ ...args, context: { ...context, session } });
    return context.cookies.lines().filter((line) => line.startsWith('locale='));
  }

  it('remembers the language of the page, and none without a page', async () => {
    expect(await post({ returnTo: otherHome })).toEqual([
      expect.stringMatching(new RegExp(`^locale=${other.code};.*; Secure;`)),
    ]);
    expect(await post({})).toEqual([]);
  });

  it('remembers the language without Secure on plain HTTP', async () => {
    const [line] = await post({ returnTo: otherHome }, { APP_ORIGIN: 'http://localhost:3000' });
    expect(line).not.toContain('Secure');
  });
});

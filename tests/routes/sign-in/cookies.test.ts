/** The cookies of a complete visit: the privacy page lists each of them, and each has the right attributes. */
import { parseSetCookie } from 'cookie';
import { beforeAll, describe, expect, it } from 'vitest';
import { locales } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import type { SiteResponse } from '../../support/sign-in/site-visitor.ts';
import { formPath, hasPage, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack();
/** The `Set-Cookie` lines of every response. */
const setCookies: string[][] = [];
let page = '';

beforeAll(visit);

const form = (fields: Record<string, string>) => formSubmission(fields, { accept: 'text/html' });

function record(response: SiteResponse): SiteResponse {
  setCookies.push([...(response.headers['set-cookie'] ?? [])]);
  return response;
}

/** Uses everything on the site that sets a cookie, including failures that are reported with one. */
async function visit(): Promise<void> {
  const visitor = stack.visit();
  const request: typeof visitor.request = async (path, options) =>
    record(await visitor.request(path, options));
  await request('/');
  if (hasPage('privacy')) page = (await request('/privacy')).body;
  await request('/', {
    headers: { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document', 'accept-language': other.code },
  });
  await request('/preferences', form({ theme: 'dark', locale: other.code }));
  await request('/preferences', form({ languageOffer: 'dismissed' }));
  for (const name of ['theme', 'locale', 'languageOffer'])
    await request('/preferences', form({ [name]: 'ada@example.com' }));
  await request('/api/identity');
  await request('/auth/callback');
  await request('/');
  await visitor.signUp(stack.cloud, { email: 'ada@example.com', password: PASSWORD });
  await request('/auth/sign-in');
  await request(formPath(), form({ content: 'hello' }));
  await request(formPath());
  await request('/auth/sign-out', form({ returnTo: otherHome }));
  // The tokens expire: a refresh would set the session cookie that the response deletes.
  stack.cloud.faults.set({ tokenSeconds: 4 });
  const due = await stack.signUp('due');
  stack.cloud.faults.set({});
  // The sign-out ends a fresh sign-in for a change of the account too.
  due.cookies.cookies.set('grant', '1.unreadable');
  record(await due.request('/auth/sign-out', form({ returnTo: '/' })));
  // The cookies of a sign-in, which `signUp` above does not record.
  record(await stack.visit().request('/auth/sign-in'));
}

const cookies = () => setCookies.flat().map((line) => parseSetCookie(line));
const kindOf = (name: string) => name.replace(/\..*$/, '');

describe('every cookie of the site', () => {
  // threat-model: T-071
  it.skipIf(!hasPage('privacy') /* a site may have removed it */)(
    'is listed on the privacy page, and no others are',
    () => {
      const listed = [...page.matchAll(/<code[^>]*>([\w-]+)<\/code>/g)].map(([, name = '']) => name);
      // A site without the form that is sent here sets it at forms of its own.
      const set = new Set([...cookies().map(({ name }) => kindOf(name)), 'outcome']);
      expect(listed.sort()).toEqual([...set].sort());
    },
  );

  // threat-model: T-070
  it('has one of a few known values if scripts can read it', () => {
    const readable = cookies().filter(({ httpOnly }) => !httpOnly);
    expect(new Set(readable.map(({ name }) => name))).toEqual(new Set(['locale', 'theme', 'language-offer']));
    const allowed = [...locales.map(({ code }) => code), ...themes, 'dismissed'];
    for (const { value } of readable) expect(allowed).toContain(value);
  });

  it('is limited to the host, SameSite=Lax, and at most 4096 bytes long', () => {
    for (const line of setCookies.flat()) {
      const cookie = parseSetCookie(line);
      expect(cookie, line).toMatchObject({ path: '/', sameSite: 'lax' });
      expect(cookie.domain, line).toBeUndefined();
      expect(cookie.secure, line).toBeUndefined();
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
    }
  });

  // threat-model: T-012
  it('is set at most once in a response', () => {
    for (const lines of setCookies) {
      const names = lines.map((line) => parseSetCookie(line).name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  // threat-model: T-010
  it('is deleted by the sign-out with the attributes with which it was set', () => {
    const deleted = cookies().filter(({ maxAge, name }) => maxAge === 0 && kindOf(name) === 'session');
    expect(deleted.length).toBeGreaterThan(1);
    for (const cookie of deleted) {
      expect(cookie).toMatchObject({ value: '', path: '/', httpOnly: true, sameSite: 'lax' });
    }
  });
});

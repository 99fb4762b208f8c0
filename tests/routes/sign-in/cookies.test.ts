/** Every cookie that a whole visit sets: each is told of at the foot of the page, and has the attributes it should. */
import { Agent } from 'node:http';
import { parseSetCookie } from 'cookie';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locales } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { createSiteVisitor } from '../../support/sign-in/site-visitor.ts';

const agent = new Agent({ keepAlive: true });
/** Every `Set-Cookie` line, and those of one answer together. */
const answers: string[][] = [];
let stack: Stack;
let page = '';

beforeAll(async () => {
  stack = await startStack();
  await visit();
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
  body: new URLSearchParams(fields).toString(),
});

/** What there is to do on the site, the failures that a cookie tells of too. */
async function visit(): Promise<void> {
  const visitor = createSiteVisitor(stack.site.origin, agent);
  const ask: typeof visitor.request = async (path, options) => {
    const answer = await visitor.request(path, options);
    answers.push([...(answer.headers['set-cookie'] ?? [])]);
    return answer;
  };
  page = (await ask('/')).body;
  await ask('/', {
    headers: { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document', 'accept-language': 'de' },
  });
  await ask('/preferences', form({ theme: 'dark', locale: 'fr' }));
  for (const name of ['theme', 'locale']) await ask('/preferences', form({ [name]: 'ada@example.com' }));
  await ask('/api/identity');
  await ask('/auth/callback');
  await ask('/');
  await visitor.signUp(stack.cloud, { email: 'ada@example.com', password: 'Correct-Horse-7' });
  await ask('/auth/sign-in');
  await ask('/test-message', form({ content: 'hello' }));
  await ask('/test-message');
  await ask('/auth/sign-out', form({ returnTo: '/fr' }));
  await signOutWhenDue();
  // Of a sign-in as its own answers set them.
  const other = createSiteVisitor(stack.site.origin, agent);
  const begun = await other.request('/auth/sign-in');
  answers.push([...(begun.headers['set-cookie'] ?? [])]);
}

/** The answer to it would set the cookie anew for the tokens that it refreshes, and deletes it. */
async function signOutWhenDue(): Promise<void> {
  const visitor = createSiteVisitor(stack.site.origin, agent);
  stack.cloud.faults.set({ tokenSeconds: 4 });
  await visitor.signUp(stack.cloud, { email: 'due@example.com', password: 'Correct-Horse-7' });
  stack.cloud.faults.set({});
  const { headers } = await visitor.request('/auth/sign-out', form({ returnTo: '/' }));
  answers.push([...(headers['set-cookie'] ?? [])]);
}

const cookies = () => answers.flat().map((line) => parseSetCookie(line));
const kindOf = (name: string) => name.replace(/^__Host-/, '').replace(/\..*$/, '');

describe('a cookie of the site', () => {
  // threat-model: T-071
  it('is one of those that the foot of every page names', () => {
    const set = new Set(cookies().map(({ name }) => name));
    expect([...set].map(kindOf)).toEqual(
      expect.arrayContaining(['locale', 'theme', 'session', 'oauth', 'notice', 'outcome', 'guest']),
    );
    const list = page.slice(page.indexOf('id="cookies"'));
    for (const name of set) expect(list).toContain(name.replace(/\..*$/, ''));
  });

  // threat-model: T-070
  it('holds one value of a short list where scripts can read it', () => {
    const readable = cookies().filter(({ httpOnly }) => !httpOnly);
    expect(new Set(readable.map(({ name }) => name))).toEqual(new Set(['locale', 'theme']));
    const allowed = [...locales.map(({ code }) => code), ...themes];
    for (const { value } of readable) expect(allowed).toContain(value);
  });

  // threat-model: T-009
  it('is for this host alone, goes with no form of another site, and fits what browsers keep', () => {
    for (const line of answers.flat()) {
      const cookie = parseSetCookie(line);
      expect(cookie, line).toMatchObject({ path: '/', sameSite: 'lax' });
      expect(cookie.domain, line).toBeUndefined();
      expect(cookie.name.startsWith('__Host-'), line).toBe(cookie.httpOnly === true);
      expect(cookie.secure === true, line).toBe(cookie.httpOnly === true);
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
    }
  });

  // threat-model: T-012
  it('is set once in an answer', () => {
    for (const lines of answers) {
      const names = lines.map((line) => parseSetCookie(line).name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  // threat-model: T-010
  it('is deleted by the sign-out with the attributes that it was set with', () => {
    const deleted = cookies().filter(({ maxAge, name }) => maxAge === 0 && kindOf(name) === 'session');
    expect(deleted.length).toBeGreaterThan(1);
    for (const cookie of deleted) {
      expect(cookie).toMatchObject({ value: '', path: '/', httpOnly: true, secure: true, sameSite: 'lax' });
    }
  });
});

import { describe, expect, it } from 'vitest';
import { type CookieStore, createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { sessionEnv } from '../../../../tests/support/sign-in/session-harness.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';
import { createCookieSealer } from '../../src/cookies/sealed-cookie.ts';
import { SignInAttempts } from '../../src/sign-in/sign-in-attempt.ts';

const START = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

/** The attempts of one browser. The test sets the clock through `time.now`. */
function openBrowser({ secure = true } = {}) {
  const time = { now: START };
  const attempts = new SignInAttempts({
    env: { session: { ...sessionEnv, sameSite: 'strict', secure } },
    clock: () => time.now,
  });
  const browser = createCookieStore();
  return {
    time,
    browser,
    /** Starts an attempt and returns the lines that the response sets. */
    async add(state: string, returnTo?: string): Promise<string[]> {
      const jar = createResponseCookies();
      await attempts.add(browser.request(), jar, attemptOf(state, returnTo));
      browser.receive(jar);
      return jar.lines();
    },
    find: (state: string) => attempts.find(browser.request(), state),
    remove(state: string): string[] {
      const jar = createResponseCookies();
      attempts.remove(jar, { state });
      browser.receive(jar);
      return jar.lines();
    },
  };
}

const attemptOf = (state: string, returnTo = '/fr/test-message') => ({
  state,
  codeVerifier: `verifier of ${state}`,
  returnTo,
});
const attemptAt = (state: string, startedAt: number) => ({ ...attemptOf(state), startedAt });

/** Stores a value that this site sealed as an attempt under the name of the attempt `state`. */
async function storeSealed(browser: CookieStore, name: string, content: unknown): Promise<void> {
  const sealer = createCookieSealer(sessionEnv, '__Host-oauth');
  browser.cookies.set(name, await sealer.seal(Buffer.from(JSON.stringify(content)), START + MINUTE));
}

describe('a sign-in attempt', () => {
  it('is found by its state', async () => {
    const { add, find } = openBrowser();
    await add('one');
    await add('two');
    expect(await find('one')).toEqual(attemptAt('one', START));
    expect(await find('two')).toEqual(attemptAt('two', START));
    expect(await find('three')).toBeNull();
  });

  it.each([
    [true, /^__Host-oauth\.[\w-]{12}=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
    [false, /^oauth\.[\w-]{12}=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/],
  ])(
    'is a cookie of ten minutes that the redirect from another site carries, with https: %s',
    async (secure, form) => {
      const { add, find } = openBrowser({ secure });
      const [line = '', ...others] = await add('one');
      expect(line).toMatch(form);
      expect(others).toEqual([]);
      expect(line).not.toContain(Buffer.from('verifier of').toString('base64url'));
      expect(await find('one')).toEqual(attemptAt('one', START));
    },
  );

  it('is valid for ten minutes', async () => {
    const { add, find, time } = openBrowser();
    await add('one');
    time.now += 10 * MINUTE - 1;
    const attempt = await find('one');
    expect(time.now - (attempt?.startedAt ?? 0)).toBe(10 * MINUTE - 1);
    time.now += 1;
    expect(await find('one')).toBeNull();
  });

  it.each([
    ['a path with its query, of 512 characters', `/fr?q=${'x'.repeat(506)}`, `/fr?q=${'x'.repeat(506)}`],
    ['the path alone, if both are longer', `/fr?q=${'x'.repeat(507)}`, '/fr'],
    ['the path alone, if the fragment is too long', `/fr#${'x'.repeat(509)}`, '/fr'],
    ['a path of 512 characters', `/fr/${'x'.repeat(508)}?q=1`, `/fr/${'x'.repeat(508)}`],
    ['the home page, if the path alone is longer', `/fr/${'x'.repeat(509)}`, '/'],
  ])('returns to %s', async (_, path, returnTo) => {
    const { add, find } = openBrowser();
    await add('one', path);
    expect((await find('one'))?.returnTo).toBe(returnTo);
  });

  it('is not found under the name of another attempt', async () => {
    const { add, find, browser } = openBrowser();
    await add('mine');
    const [mine = ''] = browser.cookies.keys();
    await add('other');
    const other = [...browser.cookies.keys()].find((name) => name !== mine) ?? '';
    browser.cookies.set(other, browser.cookies.get(mine) ?? '');
    expect(await find('mine')).not.toBeNull();
    expect(await find('other')).toBeNull();
  });

  it('is null when its content is that of another version', async () => {
    const { add, find, browser } = openBrowser();
    await add('one');
    const [name = ''] = browser.cookies.keys();
    const { returnTo: _, ...older } = attemptAt('one', START);
    await storeSealed(browser, name, older);
    expect(await find('one')).toBeNull();
    await storeSealed(browser, name, attemptAt('one', START));
    expect(await find('one')).not.toBeNull();
  });

  it('ends when it is removed, and the others stay', async () => {
    const { add, find, remove } = openBrowser();
    await add('one');
    await add('two');
    expect(remove('one')).toEqual([
      expect.stringMatching(/^__Host-oauth\.[\w-]{12}=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(await find('one')).toBeNull();
    expect(await find('two')).not.toBeNull();
  });
});

describe('of several sign-in attempts', () => {
  it('the five newest are kept, in whatever order the browser sends them', async () => {
    const { add, find, time, browser } = openBrowser();
    for (const minute of [3, 1, 5, 2, 4]) {
      time.now = START + minute * MINUTE;
      await add(`minute ${minute}`);
    }
    expect(browser.cookies.size).toBe(5);
    time.now = START + 6 * MINUTE;
    await add('minute 6');
    expect(browser.cookies.size).toBe(5);
    expect(await find('minute 1')).toBeNull();
    for (const minute of [2, 3, 4, 5, 6]) expect(await find(`minute ${minute}`)).not.toBeNull();
  });

  it('unreadable ones are deleted first', async () => {
    const { add, find, browser } = openBrowser();
    await add('one');
    browser.cookies.set('__Host-oauth.not-readable', 'x');
    const lines = await add('two');
    expect(lines[0]).toMatch(/^__Host-oauth\.not-readable=; Max-Age=0; Path=\/; HttpOnly; Secure; /);
    expect(browser.cookies.size).toBe(2);
    expect(await find('one')).not.toBeNull();
  });

  it('only the cookies of attempts are deleted', async () => {
    const { add, browser } = openBrowser();
    const others = [
      '__Host-session',
      'locale',
      '__Host-oauthority',
      '__Host-oauth.a b',
      '__Host-oauth.too-long-a-name',
      '__Host-other.abcdefghijkl',
    ];
    for (const name of others) browser.cookies.set(name, 'x');
    expect(await add('one')).toHaveLength(1);
    expect(browser.cookies.size).toBe(others.length + 1);
  });

  // threat-model: T-088
  it('only a few are read and deleted in one response', async () => {
    const { add, browser } = openBrowser();
    for (let index = 100; index < 1000; index += 1)
      browser.cookies.set(`__Host-oauth.attempt-1${index}`, 'x');
    expect(await add('one')).toHaveLength(13);
  });
});

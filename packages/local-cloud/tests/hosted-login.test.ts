import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import {
  createHostedLoginVisitor,
  findLink,
  type HostedLoginStep,
  type HostedLoginVisitor,
  readErrorMessage,
} from '../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../tests/support/sign-in/oauth-client.ts';
import { createTranslator, languages } from '../src/hosted-login/messages.ts';
import { createInfra } from './support/infra.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { ann } from './support/signed-up-client.ts';

const HOUR = 60 * 60_000;

const local = startLocalCloudForTests();

const authorizeUrl = (changes: Record<string, string | null> = {}) =>
  createOAuthClient(local.cloud).authorizeUrl(changes);
const newVisitor = (headers = {}) => createHostedLoginVisitor(local.cloud, headers);
const signUpAnn = () => newVisitor().signUp(authorizeUrl(), ann);
/** Opens a page of the hosted login through the link on the sign-in page. */
const openPage = async (visitor: HostedLoginVisitor, path: string) =>
  visitor.open(findLink(await visitor.open(authorizeUrl()), path));
/** Signs up and returns the page for the code. */
const startSignUp = async (visitor = newVisitor()) => visitor.submit(await openPage(visitor, '/signup'), ann);
const lastCode = () => local.cloud.emails[0]?.code ?? '';
/** Submits a form and returns the error message on the page that follows. */
const errorOf = async (visitor: HostedLoginVisitor, page: HostedLoginStep, fields: Record<string, string>) =>
  readErrorMessage((await visitor.submit(page, fields)).html);

describe('sign-up', () => {
  test('emails a code of six digits, which the outbox shows', async () => {
    await signUpAnn();
    const headers = { accept: 'application/json' };
    const outbox = await fetch(`${local.cloud.origin}/_outbox`, { headers });
    expect(await outbox.json()).toEqual([
      {
        from: `${new URL(SITE_ORIGIN).host} <no-reply@verificationemail.com>`,
        to: ann.email,
        subject: 'Your confirmation code',
        text: expect.stringContaining(lastCode()),
        code: expect.stringMatching(/^\d{6}$/),
        at: new Date(local.now).toISOString(),
      },
    ]);
  });

  test.each([
    [
      { email: 'not-an-address', password: ann.password },
      'Enter an email address, such as name@example.com.',
    ],
    [{ email: ann.email, password: 'eleven char' }, 'Use at least 12 characters.'],
    [{ email: ann.email, password: 'x'.repeat(257) }, 'Use at most 256 characters.'],
  ])('rejects %j with a message and sends no email', async (fields, message) => {
    const visitor = newVisitor();
    const again = await visitor.submit(await openPage(visitor, '/signup'), fields);
    expect(again.status).toBe(400);
    expect(readErrorMessage(again.html)).toBe(message);
    expect(local.cloud.emails).toEqual([]);
  });

  test('requires passwords as long as the template of the user pool does', async () => {
    const replaced = { 'MinimumLength: 12': 'MinimumLength: 20' };
    const cloud = await startLocalCloud({ infra: createInfra({ replaced }) });
    onTestFinished(() => cloud.close());
    const visitor = createHostedLoginVisitor(cloud);
    const login = await visitor.open(createOAuthClient(cloud).authorizeUrl());
    const signUp = await visitor.open(findLink(login, '/signup'));
    expect(signUp.html).toContain('At least 20 characters');
    const fields = { ...ann, password: 'x'.repeat(19) };
    expect(await errorOf(visitor, signUp, fields)).toBe('Use at least 20 characters.');
  });

  test('rejects an address that has an account, whose password stays the same', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const fields = { email: ann.email.toUpperCase(), password: 'another password' };
    expect(await errorOf(visitor, await openPage(visitor, '/signup'), fields)).toBe(
      'This email already has an account.',
    );
    await newVisitor().signIn(authorizeUrl(), ann);
  });

  test('accepts a code once, for 24 hours, until a new one is sent', async () => {
    const visitor = newVisitor();
    const confirm = await startSignUp(visitor);
    const first = lastCode();
    expect((await visitor.submit(confirm, { intent: 'resend' })).html).toContain('A new code is on its way.');
    const second = lastCode();
    const wrong = 'This code is wrong or has expired.';
    if (first !== second) expect(await errorOf(visitor, confirm, { code: first })).toBe(wrong);
    local.now += 24 * HOUR;
    expect(await errorOf(visitor, confirm, { code: second })).toBe(wrong);
    await visitor.submit(confirm, { intent: 'resend' });
    local.now += 24 * HOUR - 1;
    const code = lastCode();
    expect((await visitor.submit(confirm, { code })).url.origin).toBe(SITE_ORIGIN);
    expect(await errorOf(visitor, confirm, { code })).toBe(wrong);
  });
});

describe('sign-in', () => {
  test('responds alike to a wrong password and to an unknown address, and asks only for the password again', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const login = await visitor.open(authorizeUrl());
    const wrong = await visitor.submit(login, { ...ann, password: 'wrong horse' });
    const unknown = await visitor.submit(login, { ...ann, email: 'unknown@example.com' });
    expect([wrong.status, unknown.status]).toEqual([400, 400]);
    expect(readErrorMessage(wrong.html)).toBe('Incorrect email or password.');
    expect(unknown.html.replaceAll('unknown@example.com', ann.email)).toBe(wrong.html);
    expect(wrong.html).toMatch(/<input[^>]*type="email"[^>]*value="ann@example.com"/);
    expect(wrong.html).toMatch(/<input[^>]*type="password"[^>]*autofocus=""/);
  });

  test('of an unconfirmed user sends a new code, which completes the sign-in', async () => {
    await startSignUp();
    const second = newVisitor();
    const confirm = await second.submit(await second.open(authorizeUrl()), ann);
    expect(confirm.url.pathname).toBe('/confirm');
    expect(local.cloud.emails).toHaveLength(2);
    expect((await second.submit(confirm, { code: lastCode() })).url.origin).toBe(SITE_ORIGIN);
  });

  test('needs no password for one hour, which use does not extend', async () => {
    const visitor = newVisitor();
    await visitor.signUp(authorizeUrl(), ann);
    local.now += HOUR - 1;
    expect((await visitor.open(authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
    local.now += 1;
    expect((await visitor.open(authorizeUrl())).url.pathname).toBe('/login');
  });

  test('rejects a form with the CSRF token of another visitor', async () => {
    await signUpAnn();
    const login = await newVisitor().open(authorizeUrl());
    const otherVisitor = newVisitor();
    await otherVisitor.open(authorizeUrl());
    const forged = await otherVisitor.submit(login, ann);
    expect([forged.status, readErrorMessage(forged.html)]).toEqual([
      403,
      'This form has expired. Try again.',
    ]);
  });
});

describe('a forgotten password', () => {
  test('is replaced with an emailed code, which signs in, and which too short a password does not consume', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const reset = await visitor.submit(await openPage(visitor, '/forgotPassword'), { email: ann.email });
    const code = lastCode();
    expect(await errorOf(visitor, reset, { code, password: 'short' })).toMatch(/at least 12/);
    const password = 'a brand new one';
    expect((await visitor.submit(reset, { code, password })).url.origin).toBe(SITE_ORIGIN);
    await expect(newVisitor().signIn(authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    await newVisitor().signIn(authorizeUrl(), { ...ann, password });
  });

  test('does not reveal whether the address has an account, and has a code that expires after one hour', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const forgot = await openPage(visitor, '/forgotPassword');
    const known = await visitor.submit(forgot, { email: ann.email });
    const unknown = await visitor.submit(forgot, { email: 'bob@example.com' });
    expect(unknown.html.replaceAll('bob', 'ann')).toBe(known.html);
    expect(local.cloud.emails.filter(({ to }) => to === 'bob@example.com')).toEqual([]);
    local.now += HOUR;
    const error = await errorOf(visitor, known, { code: lastCode(), password: 'long enough now' });
    expect(error).toMatch(/has expired/);
  });
});

describe('the pages of the hosted login', () => {
  test.each([
    [{ lang: 'zh-TW' }, '', 'zh-TW', '登入'],
    [{ lang: '__proto__' }, 'ar, ja;q=0.4, ko;q=0.5', 'ko', '로그인'],
    [{}, 'de-AT,de;q=0.9,en;q=0.8', 'de', 'Anmelden'],
    [{}, 'fr;q=0', 'en', 'Sign in'],
  ])(
    'have the language of the parameters %j and of Accept-Language "%s"',
    async (changes, header, lang, title) => {
      const { html } = await newVisitor({ 'accept-language': header }).open(
        authorizeUrl({ lang: null, ...changes }),
      );
      expect(html).toContain(`<html lang="${lang}">`);
      expect(html).toContain(`<title>${title}</title>`);
    },
  );

  test('keep the language of an earlier lang parameter', async () => {
    const visitor = newVisitor();
    await visitor.open(authorizeUrl({ lang: 'it' }));
    expect((await visitor.open(authorizeUrl())).html).toContain('<html lang="it">');
  });

  test('name the site if it has a name, and its host otherwise', async () => {
    expect((await newVisitor().open(authorizeUrl())).html).toContain(
      `to continue to ${new URL(SITE_ORIGIN).host}`,
    );
    const named = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], siteName: 'Tenfold' });
    const { html } = await createHostedLoginVisitor(named).open(createOAuthClient(named).authorizeUrl());
    await named.close();
    expect(html).toContain('to continue to Tenfold');
  });

  test('allow no scripts but their own, no frames and no forms to other sites', async () => {
    const { headers } = await fetch(authorizeUrl().replace('/oauth2/authorize', '/login'));
    const policy = headers.get('content-security-policy');
    for (const directive of [
      "default-src 'none';",
      "script-src 'self';",
      `form-action 'self' ${SITE_ORIGIN};`,
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(directive);
    }
    expect(headers.get('cache-control')).toBe('no-store');
    for (const cookie of headers.getSetCookie()) expect(cookie).toContain('HttpOnly; SameSite=Lax');
  });
});

describe('the messages', () => {
  const folder = new URL('../src/hosted-login/', import.meta.url);
  const read = (language: string): Record<string, string> =>
    JSON.parse(readFileSync(new URL(`messages/${language}.json`, folder), 'utf8'));
  const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort();
  const english = read('en');

  test('exist in the languages that Cognito’s managed login supports', () => {
    expect([...languages].sort()).toEqual(
      ['de', 'en', 'es', 'fr', 'id', 'it', 'ja', 'ko', 'pt-BR', 'zh-CN', 'zh-TW'].sort(),
    );
  });

  test.each(languages.filter((language) => language !== 'en'))(
    'are complete and translated in %s',
    (language) => {
      const messages = read(language);
      expect(Object.keys(messages)).toEqual(Object.keys(english));
      for (const [key, text] of Object.entries(messages)) {
        expect(text.trim(), key).not.toBe('');
        expect(placeholders(text), key).toEqual(placeholders(english[key]));
      }
      const untranslated = Object.keys(messages).filter((key) => messages[key] === english[key]);
      expect(untranslated.filter((key) => !['code', 'email', 'password'].includes(key))).toEqual([]);
    },
  );

  test('are all used', () => {
    const sources = readdirSync(folder).filter((name) => /\.tsx?$/.test(name) && name !== 'messages.ts');
    const source = sources.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
    const isUsed = (key: string) => new RegExp(`['"]${key}['"]`).test(source);
    // The keys of emails are composed.
    expect(Object.keys(english).filter((key) => !isUsed(key) && !/Mail(?:Subject|Text)$/.test(key))).toEqual(
      [],
    );
  });

  test('insert values unchanged, including dollar signs', () => {
    expect(createTranslator('en')('codeSent', { email: '$&@example.com' })).toBe(
      'We sent a 6-digit code to $&@example.com.',
    );
  });
});

import { describe, expect, test } from 'vitest';
import {
  createHostedLoginVisitor,
  findLink,
  type HostedLoginStep,
  type HostedLoginVisitor,
  readErrorMessage,
} from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann } from '../support/signed-up-client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const local = startLocalCloudForTests();

const authorizeUrl = () => createOAuthClient(local.cloud).authorizeUrl();
const newVisitor = () => createHostedLoginVisitor(local.cloud);
const signUpAnn = () => newVisitor().signUp(authorizeUrl(), ann);
/** Opens a page of the hosted login through the link on the sign-in page. */
const openPage = async (visitor: HostedLoginVisitor, path: string) =>
  visitor.open(findLink(await visitor.open(authorizeUrl()), path));
/** Signs up and returns the page for the code. */
const startSignUp = async (visitor = newVisitor()) => visitor.submit(await openPage(visitor, '/signup'), ann);
/** Asks for a code that replaces a forgotten password, and returns the page for it. */
const requestReset = async (visitor: HostedLoginVisitor) =>
  visitor.submit(await openPage(visitor, '/forgotPassword'), { email: ann.email });
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
      { email: 'not-an-address', password: 'correct horse' },
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

  test('reveals only to the owner of an address that it has an account', async () => {
    await signUpAnn();
    const secondVisitor = newVisitor();
    const form = await openPage(secondVisitor, '/signup');
    const taken = await secondVisitor.submit(form, { ...ann, password: 'another password' });
    const free = await secondVisitor.submit(form, { ...ann, email: 'bea@example.com' });
    expect(taken.html.replaceAll(ann.email, '')).toBe(free.html.replaceAll('bea@example.com', ''));
    expect(local.cloud.emails.find((mail) => mail.to === ann.email)).toMatchObject({
      subject: 'You already have an account',
      code: null,
    });
    // The password is still the first one.
    await newVisitor().signIn(authorizeUrl(), ann);
  });

  test('accepts a code for 24 hours', async () => {
    const visitor = newVisitor();
    const confirm = await startSignUp(visitor);
    local.now += 24 * HOUR - 1;
    expect((await visitor.submit(confirm, { code: '12345' })).html).toContain('The code has 6 digits.');
    local.now += 1;
    // The visitor state has expired too, so the form must contain the address.
    const error = await errorOf(visitor, confirm, { email: ann.email, code: lastCode() });
    expect(error).toBe('This code is wrong or has expired.');
  });

  test('accepts a code once', async () => {
    const visitor = newVisitor();
    const confirm = await startSignUp(visitor);
    const code = lastCode();
    expect((await visitor.submit(confirm, { code })).url.origin).toBe(SITE_ORIGIN);
    const other = newVisitor();
    const error = await errorOf(other, await other.open(confirm.url), { email: ann.email, code });
    expect(error).toBe('This code is wrong or has expired.');
  });

  test('sends a new code up to five times an hour and rejects the old one', async () => {
    const visitor = newVisitor();
    const confirm = await startSignUp(visitor);
    const first = lastCode();
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    }
    expect(await errorOf(visitor, confirm, { intent: 'resend' })).toMatch(/^Too many attempts/);
    expect(local.cloud.emails).toHaveLength(6);
    expect(new Set(local.cloud.emails.map((mail) => mail.code)).size).toBeGreaterThan(1);
    local.now += HOUR;
    expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    expect(await errorOf(visitor, confirm, { code: first })).toBe('This code is wrong or has expired.');
  });

  test('accepts fifteen attempts to enter a code in an hour and then rejects even the right code', async () => {
    const visitor = newVisitor();
    const confirm = await startSignUp(visitor);
    const wrong = lastCode() === '000000' ? '000001' : '000000';
    for (let attempts = 0; attempts < 15; attempts += 1) {
      expect(await errorOf(visitor, confirm, { code: wrong })).toMatch(/^This code is wrong/);
    }
    expect(await errorOf(visitor, confirm, { code: lastCode() })).toMatch(/^Too many attempts/);
  });

  test('confirmed in another browser requires the password there', async () => {
    const confirm = await startSignUp();
    const other = newVisitor();
    const page = await other.submit(await other.open(confirm.url), { email: ann.email, code: lastCode() });
    expect(page.url.pathname).toBe('/login');
    expect(page.html).toContain('Your email is confirmed. You can sign in now.');
  });
});

describe('the link page', () => {
  const openLink = (params: Record<string, string>) =>
    newVisitor().open(`${local.cloud.origin}/confirmUser?${new URLSearchParams(params)}`);
  const link = () => ({
    client_id: createOAuthClient(local.cloud).id,
    user_name: ann.email,
    confirmation_code: lastCode(),
  });

  test('confirms the account, which can then sign in', async () => {
    await startSignUp();
    const page = await openLink(link());
    expect(page.status).toBe(200);
    expect(page.html).toContain('Your email is confirmed.');
    await newVisitor().signIn(authorizeUrl(), ann);
  });

  test.each([{ client_id: 'unknown' }, { user_name: 'unknown' }, { confirmation_code: '00000x' }])(
    'confirms nothing with %j',
    async (change) => {
      await startSignUp();
      expect((await openLink({ ...link(), ...change })).status).toBe(400);
      expect((await openLink(link())).status).toBe(200);
    },
  );
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

  test('rejects an address for 15 minutes after ten wrong passwords', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const login = await visitor.open(authorizeUrl());
    for (let attempts = 0; attempts < 10; attempts += 1)
      await visitor.submit(login, { ...ann, password: 'wrong horse' });
    expect(await errorOf(visitor, login, ann)).toMatch(/^Too many attempts/);
    local.now += 15 * MINUTE;
    expect((await visitor.submit(login, ann)).url.origin).toBe(SITE_ORIGIN);
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
    local.now += 59 * MINUTE;
    expect((await visitor.open(authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
    local.now += MINUTE;
    expect((await visitor.open(authorizeUrl())).url.pathname).toBe('/login');
  });

  test('rejects a form with the CSRF token of another visitor', async () => {
    await signUpAnn();
    const login = await newVisitor().open(authorizeUrl());
    const otherVisitor = newVisitor();
    await otherVisitor.open(authorizeUrl());
    const forged = await otherVisitor.submit(login, ann);
    expect(forged.status).toBe(403);
    expect(forged.html).toContain('This form has expired.');
  });
});

describe('a forgotten password', () => {
  test('is replaced with an emailed code, which signs in, and which too short a password does not consume', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const reset = await requestReset(visitor);
    const code = lastCode();
    expect(await errorOf(visitor, reset, { code, password: 'short' })).toMatch(/at least 12/);
    const password = 'a brand new one';
    expect((await visitor.submit(reset, { code, password })).url.origin).toBe(SITE_ORIGIN);
    await expect(newVisitor().signIn(authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    await newVisitor().signIn(authorizeUrl(), { ...ann, password });
  });

  test('does not reveal whether the address has an account', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const forgot = await openPage(visitor, '/forgotPassword');
    const known = await visitor.submit(forgot, { email: ann.email });
    const unknown = await visitor.submit(forgot, { email: 'unknown@example.com' });
    expect(unknown.html.replaceAll('unknown@example.com', ann.email)).toBe(known.html);
    expect(local.cloud.emails.filter((mail) => mail.to === 'unknown@example.com')).toEqual([]);
  });

  test('has a code that expires after one hour', async () => {
    await signUpAnn();
    const visitor = newVisitor();
    const reset = await requestReset(visitor);
    local.now += HOUR;
    const error = await errorOf(visitor, reset, { code: lastCode(), password: 'long enough now' });
    expect(error).toMatch(/has expired/);
  });
});

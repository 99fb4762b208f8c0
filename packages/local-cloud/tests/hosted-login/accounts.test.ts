import { describe, expect, test } from 'vitest';
import {
  createHostedLoginVisitor,
  findLink,
  type HostedLoginVisitor,
  readErrorMessage,
} from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann } from '../support/signed-up-client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const local = startLocalCloudForTests();

const authorizeUrl = (changes: Record<string, string | null> = {}) =>
  createOAuthClient(local.cloud).authorizeUrl(changes);
/** Opens a page of the hosted login through the link on the sign-in page. */
const openPage = async (visitor: HostedLoginVisitor, path: string) =>
  visitor.open(findLink(await visitor.open(authorizeUrl()), path));
/** Signs up and returns the page for the code. */
const startSignUp = async (visitor: HostedLoginVisitor) =>
  visitor.submit(await openPage(visitor, '/signup'), ann);
const lastCode = () => local.cloud.emails[0]?.code ?? '';

describe('sign-up', () => {
  test('emails a code of six digits, which the outbox shows', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const outbox = await (
      await fetch(`${local.cloud.origin}/_outbox`, { headers: { accept: 'application/json' } })
    ).json();
    expect(outbox).toEqual([
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
    [{ email: ann.email, password: 'seven 7' }, 'Use at least 8 characters.'],
    [{ email: ann.email, password: 'x'.repeat(257) }, 'Use at most 256 characters.'],
  ])('rejects %j with a message and sends no email', async (fields, message) => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const page = await openPage(visitor, '/signup');
    const again = await visitor.submit(page, fields);
    expect(again.status).toBe(400);
    expect(readErrorMessage(again.html)).toBe(message);
    expect(local.cloud.emails).toEqual([]);
  });

  test('reveals only to the owner of an address that it has an account', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const secondVisitor = createHostedLoginVisitor(local.cloud);
    const form = await openPage(secondVisitor, '/signup');
    const taken = await secondVisitor.submit(form, { ...ann, password: 'another password' });
    const free = await secondVisitor.submit(form, { ...ann, email: 'bea@example.com' });
    expect(taken.html.replaceAll(ann.email, '')).toBe(free.html.replaceAll('bea@example.com', ''));
    expect(local.cloud.emails.find((mail) => mail.to === ann.email)).toMatchObject({
      subject: 'You already have an account',
      code: null,
    });
    await expect(createHostedLoginVisitor(local.cloud).signIn(authorizeUrl(), ann)).resolves.toBeInstanceOf(
      URL,
    );
  });

  test('accepts a code for 24 hours', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const confirm = await startSignUp(visitor);
    local.now += 24 * HOUR - 1;
    expect((await visitor.submit(confirm, { code: '12345' })).html).toContain('The code has 6 digits.');
    local.now += 1;
    // The visitor state has expired too, so the form must contain the address.
    const rejected = await visitor.submit(confirm, { email: ann.email, code: lastCode() });
    expect(readErrorMessage(rejected.html)).toBe('This code is wrong or has expired.');
  });

  test('accepts a code once', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const confirm = await startSignUp(visitor);
    const code = lastCode();
    expect((await visitor.submit(confirm, { code })).url.origin).toBe(SITE_ORIGIN);
    const other = createHostedLoginVisitor(local.cloud);
    const again = await other.submit(await other.open(confirm.url), { email: ann.email, code });
    expect(readErrorMessage(again.html)).toBe('This code is wrong or has expired.');
  });

  test('sends a new code up to five times an hour and rejects the old one', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const confirm = await startSignUp(visitor);
    const first = lastCode();
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    }
    const sixth = await visitor.submit(confirm, { intent: 'resend' });
    expect(readErrorMessage(sixth.html)).toMatch(/^Too many attempts/);
    expect(local.cloud.emails).toHaveLength(6);
    expect(new Set(local.cloud.emails.map((mail) => mail.code)).size).toBeGreaterThan(1);
    local.now += HOUR;
    expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    expect(readErrorMessage((await visitor.submit(confirm, { code: first })).html)).toBe(
      'This code is wrong or has expired.',
    );
  });

  test('accepts fifteen attempts to enter a code in an hour and then rejects even the right code', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const confirm = await startSignUp(visitor);
    const wrong = lastCode() === '000000' ? '000001' : '000000';
    for (let attempts = 0; attempts < 15; attempts += 1) {
      expect(readErrorMessage((await visitor.submit(confirm, { code: wrong })).html)).toMatch(
        /^This code is wrong/,
      );
    }
    expect(readErrorMessage((await visitor.submit(confirm, { code: lastCode() })).html)).toMatch(
      /^Too many attempts/,
    );
  });

  test('confirmed in another browser requires the password there', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const confirm = await startSignUp(visitor);
    const other = createHostedLoginVisitor(local.cloud);
    const page = await other.submit(await other.open(confirm.url), { email: ann.email, code: lastCode() });
    expect(page.url.pathname).toBe('/login');
    expect(page.html).toContain('Your email is confirmed. You can sign in now.');
  });
});

describe('the link page', () => {
  const openLink = (params: Record<string, string>) =>
    createHostedLoginVisitor(local.cloud).open(
      `${local.cloud.origin}/confirmUser?${new URLSearchParams(params)}`,
    );
  const link = () => ({
    client_id: createOAuthClient(local.cloud).id,
    user_name: ann.email,
    confirmation_code: lastCode(),
  });

  test('confirms the account, which can then sign in', async () => {
    await startSignUp(createHostedLoginVisitor(local.cloud));
    const page = await openLink(link());
    expect(page.status).toBe(200);
    expect(page.html).toContain('Your email is confirmed.');
    await createHostedLoginVisitor(local.cloud).signIn(authorizeUrl(), ann);
  });

  test.each([{ client_id: 'unknown' }, { user_name: 'unknown' }, { confirmation_code: '00000x' }])(
    'confirms nothing with %j',
    async (change) => {
      await startSignUp(createHostedLoginVisitor(local.cloud));
      expect((await openLink({ ...link(), ...change })).status).toBe(400);
      expect((await openLink(link())).status).toBe(200);
    },
  );
});

describe('sign-in', () => {
  test('responds to a wrong password and to an unknown address with the same message', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const login = await visitor.open(authorizeUrl());
    const wrong = await visitor.submit(login, { ...ann, password: 'wrong horse' });
    const unknown = await visitor.submit(login, { ...ann, email: 'unknown@example.com' });
    expect([wrong.status, unknown.status]).toEqual([400, 400]);
    expect(readErrorMessage(wrong.html)).toBe('Incorrect email or password.');
    expect(unknown.html.replaceAll('unknown@example.com', ann.email)).toBe(wrong.html);
  });

  test('keeps the submitted address after an error and focuses the password', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const again = await visitor.submit(await visitor.open(authorizeUrl()), {
      ...ann,
      password: 'wrong horse',
    });
    expect(again.html).toMatch(/<input[^>]*type="email"[^>]*value="ann@example.com"/);
    expect(again.html).toMatch(/<input[^>]*type="password"[^>]*autofocus=""/);
  });

  test('rejects an address for 15 minutes after ten wrong passwords', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const login = await visitor.open(authorizeUrl());
    for (let attempts = 0; attempts < 10; attempts += 1)
      await visitor.submit(login, { ...ann, password: 'wrong horse' });
    expect(readErrorMessage((await visitor.submit(login, ann)).html)).toMatch(/^Too many attempts/);
    local.now += 15 * MINUTE;
    expect((await visitor.submit(login, ann)).url.origin).toBe(SITE_ORIGIN);
  });

  test('of an unconfirmed user sends a new code, which completes the sign-in', async () => {
    await startSignUp(createHostedLoginVisitor(local.cloud));
    const second = createHostedLoginVisitor(local.cloud);
    const confirm = await second.submit(await second.open(authorizeUrl()), ann);
    expect(confirm.url.pathname).toBe('/confirm');
    expect(local.cloud.emails).toHaveLength(2);
    expect((await second.submit(confirm, { code: lastCode() })).url.origin).toBe(SITE_ORIGIN);
  });

  test('needs no password for one hour, which use does not extend', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    await visitor.signUp(authorizeUrl(), ann);
    local.now += 59 * MINUTE;
    expect((await visitor.open(authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
    local.now += MINUTE;
    expect((await visitor.open(authorizeUrl())).url.pathname).toBe('/login');
  });

  test('can be canceled, with an error for the site', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const back = findLink(await visitor.open(authorizeUrl()), '/auth/callback');
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe('the-state');
  });

  test('rejects a form with the CSRF token of another visitor', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const login = await createHostedLoginVisitor(local.cloud).open(authorizeUrl());
    const otherVisitor = createHostedLoginVisitor(local.cloud);
    await otherVisitor.open(authorizeUrl());
    const forged = await otherVisitor.submit(login, ann);
    expect(forged.status).toBe(403);
    expect(forged.html).toContain('This form has expired.');
  });
});

describe('a forgotten password', () => {
  test('is replaced with an emailed code, which also completes the sign-in', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const forgot = await openPage(visitor, '/forgotPassword');
    const reset = await visitor.submit(forgot, { email: ann.email });
    const done = await visitor.submit(reset, { code: lastCode(), password: 'a brand new one' });
    expect(done.url.origin).toBe(SITE_ORIGIN);
    await expect(createHostedLoginVisitor(local.cloud).signIn(authorizeUrl(), ann)).rejects.toThrow(
      'Incorrect email or password.',
    );
    await createHostedLoginVisitor(local.cloud).signIn(authorizeUrl(), {
      ...ann,
      password: 'a brand new one',
    });
  });

  test('does not reveal whether the address has an account', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const forgot = await openPage(visitor, '/forgotPassword');
    const known = await visitor.submit(forgot, { email: ann.email });
    const unknown = await visitor.submit(forgot, { email: 'unknown@example.com' });
    expect(unknown.html.replaceAll('unknown@example.com', ann.email)).toBe(known.html);
    expect(local.cloud.emails.filter((mail) => mail.to === 'unknown@example.com')).toEqual([]);
  });

  test('does not consume the code when the new password is too short', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const forgot = await openPage(visitor, '/forgotPassword');
    const reset = await visitor.submit(forgot, { email: ann.email });
    const code = lastCode();
    expect(readErrorMessage((await visitor.submit(reset, { code, password: 'short' })).html)).toMatch(
      /at least 8/,
    );
    expect((await visitor.submit(reset, { code, password: 'long enough now' })).url.origin).toBe(SITE_ORIGIN);
  });

  test('has a code that expires after one hour', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(local.cloud);
    const forgot = await openPage(visitor, '/forgotPassword');
    const reset = await visitor.submit(forgot, { email: ann.email });
    local.now += HOUR;
    const late = await visitor.submit(reset, { code: lastCode(), password: 'long enough now' });
    expect(readErrorMessage(late.html)).toMatch(/has expired/);
  });
});

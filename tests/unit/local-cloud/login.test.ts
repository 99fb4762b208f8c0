import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import {
  createHostedLoginVisitor,
  findLink,
  type HostedLoginVisitor,
  readErrorMessage,
} from '../../support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../support/sign-in/oauth-client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ann = { email: 'ann@example.com', password: 'correct horse' };

let now = Date.now();
let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], clock: () => now });
});
afterAll(() => cloud.close());
beforeEach(() => cloud.reset());

const authorizeUrl = (changed: Record<string, string | null> = {}) =>
  createOAuthClient(cloud).authorizeUrl(changed);
/** As far as the page that asks for the code. */
const startSignUp = async (visitor: HostedLoginVisitor) =>
  visitor.submit(await visitor.open(findLink(await visitor.open(authorizeUrl()), '/signup')), ann);
const lastCode = () => cloud.emails[0]?.code ?? '';

describe('signing up', () => {
  test('leads through the mailed code back to the site, signed in', async () => {
    const callback = await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    expect(callback.origin + callback.pathname).toBe(`${SITE_ORIGIN}/auth/callback`);
    expect(callback.searchParams.get('state')).toBe('the-state');
    expect(callback.searchParams.get('code')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('mails six digits to the address, and the outbox shows them', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const outbox = await (
      await fetch(`${cloud.origin}/_outbox`, { headers: { accept: 'application/json' } })
    ).json();
    expect(outbox).toEqual([
      {
        to: ann.email,
        subject: 'Your confirmation code',
        text: expect.stringContaining(lastCode()),
        code: expect.stringMatching(/^\d{6}$/),
        at: new Date(now).toISOString(),
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
  ])('refuses %j in words and sends no mail', async (fields, message) => {
    const visitor = createHostedLoginVisitor(cloud);
    const page = await visitor.open(findLink(await visitor.open(authorizeUrl()), '/signup'));
    const again = await visitor.submit(page, fields);
    expect(again.status).toBe(400);
    expect(readErrorMessage(again.html)).toBe(message);
    expect(cloud.emails).toEqual([]);
  });

  test('does not tell that an address has an account, except to its owner', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const stranger = createHostedLoginVisitor(cloud);
    const form = await stranger.open(findLink(await stranger.open(authorizeUrl()), '/signup'));
    const taken = await stranger.submit(form, { ...ann, password: 'another password' });
    const free = await stranger.submit(form, { ...ann, email: 'bea@example.com' });
    expect(taken.html.replaceAll(ann.email, '')).toBe(free.html.replaceAll('bea@example.com', ''));
    expect(cloud.emails.find((mail) => mail.to === ann.email)).toMatchObject({
      subject: 'You already have an account',
      code: null,
    });
    await expect(createHostedLoginVisitor(cloud).signIn(authorizeUrl(), ann)).resolves.toBeInstanceOf(URL);
  });

  test('takes a code for a day', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const confirm = await startSignUp(visitor);
    now += 24 * HOUR - 1;
    expect((await visitor.submit(confirm, { code: '12345' })).html).toContain('The code has 6 digits.');
    now += 1;
    // By now the browser is not remembered either.
    const refused = await visitor.submit(confirm, { email: ann.email, code: lastCode() });
    expect(readErrorMessage(refused.html)).toBe('This code is wrong or has expired.');
  });

  test('takes a code once', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const confirm = await startSignUp(visitor);
    const code = lastCode();
    expect((await visitor.submit(confirm, { code })).url.origin).toBe(SITE_ORIGIN);
    const other = createHostedLoginVisitor(cloud);
    const again = await other.submit(await other.open(confirm.url), { email: ann.email, code });
    expect(readErrorMessage(again.html)).toBe('This code is wrong or has expired.');
  });

  test('sends a new code five times an hour, and the old one no longer holds', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const confirm = await startSignUp(visitor);
    const first = lastCode();
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    }
    const sixth = await visitor.submit(confirm, { intent: 'resend' });
    expect(readErrorMessage(sixth.html)).toMatch(/^Too many attempts/);
    expect(cloud.emails).toHaveLength(6);
    expect(new Set(cloud.emails.map((mail) => mail.code)).size).toBeGreaterThan(1);
    now += HOUR;
    expect((await visitor.submit(confirm, { intent: 'resend' })).status).toBe(200);
    expect(readErrorMessage((await visitor.submit(confirm, { code: first })).html)).toBe(
      'This code is wrong or has expired.',
    );
  });

  test('lets fifteen codes be tried in an hour, the right one afterwards too late', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const confirm = await startSignUp(visitor);
    const wrong = lastCode() === '000000' ? '000001' : '000000';
    for (let tried = 0; tried < 15; tried += 1) {
      expect(readErrorMessage((await visitor.submit(confirm, { code: wrong })).html)).toMatch(
        /^This code is wrong/,
      );
    }
    expect(readErrorMessage((await visitor.submit(confirm, { code: lastCode() })).html)).toMatch(
      /^Too many attempts/,
    );
  });

  test('from another browser confirms the address but asks for the password', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const confirm = await startSignUp(visitor);
    const other = createHostedLoginVisitor(cloud);
    const page = await other.submit(await other.open(confirm.url), { email: ann.email, code: lastCode() });
    expect(page.url.pathname).toBe('/login');
    expect(page.html).toContain('Your email is confirmed. You can sign in now.');
  });
});

describe('signing in', () => {
  test('refuses a wrong password and an unknown address in the same words', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const login = await visitor.open(authorizeUrl());
    const wrong = await visitor.submit(login, { ...ann, password: 'wrong horse' });
    const unknown = await visitor.submit(login, { ...ann, email: 'nobody@example.com' });
    expect([wrong.status, unknown.status]).toEqual([400, 400]);
    expect(readErrorMessage(wrong.html)).toBe('Incorrect email or password.');
    expect(unknown.html.replaceAll('nobody@example.com', ann.email)).toBe(wrong.html);
  });

  test('keeps the address that was typed and puts the focus on the password', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const again = await visitor.submit(await visitor.open(authorizeUrl()), {
      ...ann,
      password: 'wrong horse',
    });
    expect(again.html).toMatch(/<input[^>]*type="email"[^>]*value="ann@example.com"/);
    expect(again.html).toMatch(/<input[^>]*type="password"[^>]*autofocus=""/);
  });

  test('gives up on an address after ten wrong passwords, for a quarter of an hour', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const login = await visitor.open(authorizeUrl());
    for (let tried = 0; tried < 10; tried += 1)
      await visitor.submit(login, { ...ann, password: 'wrong horse' });
    expect(readErrorMessage((await visitor.submit(login, ann)).html)).toMatch(/^Too many attempts/);
    now += 15 * MINUTE;
    expect((await visitor.submit(login, ann)).url.origin).toBe(SITE_ORIGIN);
  });

  test('of someone unconfirmed leads to a new code, which signs them in', async () => {
    await startSignUp(createHostedLoginVisitor(cloud));
    const second = createHostedLoginVisitor(cloud);
    const confirm = await second.submit(await second.open(authorizeUrl()), ann);
    expect(confirm.url.pathname).toBe('/confirmUser');
    expect(cloud.emails).toHaveLength(2);
    expect((await second.submit(confirm, { code: lastCode() })).url.origin).toBe(SITE_ORIGIN);
  });

  test('is silent for an hour, which use does not lengthen', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signUp(authorizeUrl(), ann);
    now += 59 * MINUTE;
    expect((await visitor.open(authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
    now += MINUTE;
    expect((await visitor.open(authorizeUrl())).url.pathname).toBe('/login');
  });

  test('can be cancelled, which the site is told', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    const back = findLink(await visitor.open(authorizeUrl()), '/auth/callback');
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe('the-state');
  });

  test('refuses a form that another site sent', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const login = await createHostedLoginVisitor(cloud).open(authorizeUrl());
    // Another visitor's token is what a forger could get hold of.
    const victim = createHostedLoginVisitor(cloud);
    await victim.open(authorizeUrl());
    const forged = await victim.submit(login, ann);
    expect(forged.status).toBe(403);
    expect(forged.html).toContain('This form has expired.');
  });
});

describe('a forgotten password', () => {
  test('is replaced with a mailed code, and the visitor is signed in', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const forgot = await visitor.open(findLink(await visitor.open(authorizeUrl()), '/forgotPassword'));
    const reset = await visitor.submit(forgot, { email: ann.email });
    const done = await visitor.submit(reset, { code: lastCode(), password: 'a brand new one' });
    expect(done.url.origin).toBe(SITE_ORIGIN);
    await expect(createHostedLoginVisitor(cloud).signIn(authorizeUrl(), ann)).rejects.toThrow(
      'Incorrect email or password.',
    );
    await createHostedLoginVisitor(cloud).signIn(authorizeUrl(), { ...ann, password: 'a brand new one' });
  });

  test('does not tell whether the address has an account', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const forgot = await visitor.open(findLink(await visitor.open(authorizeUrl()), '/forgotPassword'));
    const known = await visitor.submit(forgot, { email: ann.email });
    const unknown = await visitor.submit(forgot, { email: 'nobody@example.com' });
    expect(unknown.html.replaceAll('nobody@example.com', ann.email)).toBe(known.html);
    expect(cloud.emails.filter((mail) => mail.to === 'nobody@example.com')).toEqual([]);
  });

  test('does not use the code up on a password that is too short', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const forgot = await visitor.open(findLink(await visitor.open(authorizeUrl()), '/forgotPassword'));
    const reset = await visitor.submit(forgot, { email: ann.email });
    const code = lastCode();
    expect(readErrorMessage((await visitor.submit(reset, { code, password: 'short' })).html)).toMatch(
      /at least 8/,
    );
    expect((await visitor.submit(reset, { code, password: 'long enough' })).url.origin).toBe(SITE_ORIGIN);
  });

  test('has a code that holds for an hour', async () => {
    await createHostedLoginVisitor(cloud).signUp(authorizeUrl(), ann);
    const visitor = createHostedLoginVisitor(cloud);
    const forgot = await visitor.open(findLink(await visitor.open(authorizeUrl()), '/forgotPassword'));
    const reset = await visitor.submit(forgot, { email: ann.email });
    now += HOUR;
    const late = await visitor.submit(reset, { code: lastCode(), password: 'long enough' });
    expect(readErrorMessage(late.html)).toMatch(/has expired/);
  });
});

/** The account page with and without a grant. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultLocale, type Locale, locales, localizePath } from '../../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import { shippedMutation, shippedQuery } from '../../../support/http/shipped-operations.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../../support/sign-in/hosted-login.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { other } from '../../../support/this-site.ts';
import { setUpStack } from '../../support/set-up-stack.ts';
import { begin, confirm, open, send } from './account-visitor.ts';

const translations = loadTranslations('public/locales');
const { t } = translations.instance('en');
/** A text of the page. */
const text = (key: string, locale: Locale = defaultLocale) =>
  String(translations.instance(locale.code).getResource(locale.code, 'account', key));
const NEW_PASSWORD = 'a new and longer password';

const stack = setUpStack();
let count = 0;
let email: string;
let visitor: SiteVisitor;

beforeEach(async () => {
  stack.cloud.faults.set({});
  count += 1;
  email = `member-${count}@example.com`;
  visitor = await stack.signUp(`member-${count}`);
  stack.cloud.faults.forgetCalls();
});

const confirmed = (fields: Record<string, string>, path?: string) =>
  confirm(visitor, stack.cloud, { email, fields, ...(path ? { path } : {}) });
const userPoolCalls = () => stack.cloud.faults.calls['cognito-idp'] ?? {};
const graphqlCalls = () => stack.cloud.faults.calls.graphql ?? {};

/** Calls the data API, and returns the result. */
async function call(
  caller: SiteVisitor,
  { query, variables }: { query: string; variables: object },
): Promise<string> {
  const { status, body } = await caller.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  expect(status).toBe(200);
  return body;
}

const deletion = { intent: 'delete-account', confirm: 'yes' };
const steps = [
  { intent: 'rename', name: 'Ada' },
  { intent: 'change-password', currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
  { intent: 'export' },
  deletion,
];

describe('without a grant', () => {
  // threat-model: T-134
  it.each(steps)('$intent leads to a fresh sign-in and changes nothing', async (fields) => {
    await call(visitor, shippedMutation());
    const location = await begin(visitor, stack.cloud, fields);
    expect(location.searchParams.get('prompt')).toBe('login');
    expect(userPoolCalls()).not.toHaveProperty('UpdateUserAttributes');
    expect(userPoolCalls()).not.toHaveProperty('ChangePassword');
    expect(userPoolCalls()).not.toHaveProperty('GetUser');
    expect(userPoolCalls()).not.toHaveProperty('DeleteUser');
    expect(graphqlCalls()).toEqual({ [shippedMutation().operationName]: 1 });
  });

  // threat-model: T-134
  it('the GraphQL proxy does not erase records', async () => {
    const { status } = await visitor.request('/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation EraseMyRecords{eraseMyRecords}' }),
    });
    expect(status).toBe(403);
  });

  // threat-model: T-135
  it.each([...steps, { intent: 'end-other-sessions' }])('%j of another site is rejected', async (fields) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': '' },
    ]) {
      expect((await send(visitor, fields, { headers })).status).toBe(403);
    }
  });

  it('visitors without a session are led to the sign-in', async () => {
    for (const response of [await open(stack.visit()), await send(stack.visit(), deletion)]) {
      expect([response.status, response.headers.location]).toEqual([
        302,
        '/auth/sign-in?returnTo=%2Faccount',
      ]);
    }
  });

  it.each(locales)('says in $name what it is about', async (locale) => {
    const { body } = await open(visitor, localizePath('/account', locale));
    expect(body).toContain(text('lead', locale));
  });
});

describe('a grant', () => {
  it('opens only the step that it is for, with the name that was typed', async () => {
    expect(await confirmed({ intent: 'rename', name: 'Ada Lovelace' })).toBe('/account');
    const { body } = await open(visitor);
    expect(body).toContain(text('confirmed'));
    expect(body).toContain('value="Ada Lovelace"');
    expect(body).toContain(text('profile.save'));
    expect(body).not.toContain('type="password"');
    expect(body).not.toContain('type="checkbox"');
  });

  // threat-model: T-136
  it('is for one action: a form with another one leads to another sign-in', async () => {
    await confirmed({ intent: 'export' });
    for (const fields of steps.filter(({ intent }) => intent !== 'export')) {
      await begin(visitor, stack.cloud, fields);
    }
    expect(userPoolCalls()).not.toHaveProperty('DeleteUser');
    expect(userPoolCalls()).not.toHaveProperty('ChangePassword');
  });

  // threat-model: T-136
  it('is for one session: another one of the same user cannot use its cookie', async () => {
    await confirmed(deletion);
    const thief = stack.visit();
    const login = createHostedLoginVisitor(stack.cloud);
    const signIn = await thief.request('/auth/sign-in');
    const callback = await login.signIn(signIn.headers.location ?? '', { email, password: PASSWORD });
    await thief.request(callback.pathname + callback.search);
    for (const [name, value] of visitor.cookies.cookies) {
      if (name.startsWith('grant')) thief.cookies.cookies.set(name, value);
    }
    await begin(thief, stack.cloud, deletion);
    expect(userPoolCalls()).not.toHaveProperty('DeleteUser');
  });

  it('is used up by the action', async () => {
    await confirmed({ intent: 'rename', name: 'Ada' });
    const copy = visitor.copy();
    expect((await send(visitor, { intent: 'rename', name: 'Ada' })).status).toBe(303);
    // An old tab, or a second click.
    await begin(visitor, stack.cloud, { intent: 'rename', name: 'Eve' });
    await begin(copy, stack.cloud, { intent: 'rename', name: 'Eve' });
    expect((await open(visitor)).body).toContain('value="Ada"');
  });
});

describe('a fresh sign-in that fails', () => {
  it('is said beside the form if it was canceled', async () => {
    const authorize = await begin(visitor, stack.cloud, { intent: 'export' });
    const query = new URLSearchParams({
      error: 'access_denied',
      state: authorize.searchParams.get('state') ?? '',
    });
    const callback = await visitor.request(`/auth/callback?${query}`);
    expect(callback.headers.location).toBe('/account');
    const { body } = await open(visitor);
    const section = /<section id="export"[\s\S]*?<\/section>/.exec(body)?.[0] ?? '';
    expect(section).toContain(t('signInError.cancelled', { ns: 'server' }));
    expect(body.replace(section, '').replace(/<script[\s\S]*?<\/script>/g, '')).not.toContain(
      t('signInError.cancelled', { ns: 'server' }),
    );
    expect((await open(visitor)).body).not.toContain(t('signInError.cancelled', { ns: 'server' }));
  });

  // threat-model: T-136
  it('gives no grant to another user, and says so', async () => {
    await stack.signUp(`other-${count}`);
    expect(
      await confirm(visitor, stack.cloud, { email: `other-${count}@example.com`, fields: deletion }),
    ).toBe('/account');
    const { body } = await open(visitor);
    expect(body).toContain(t('signInError.other-user', { ns: 'server' }));
    await begin(visitor, stack.cloud, deletion);
  });
});

describe('the name', () => {
  it('is changed, also in the header', async () => {
    await confirmed({ intent: 'rename', name: 'Grace' }, localizePath('/account', other));
    const path = localizePath('/account', other);
    const saved = await send(visitor, { intent: 'rename', name: ' Grace Hopper ' }, { path });
    expect([saved.status, saved.headers.location]).toEqual([303, path]);
    const { body } = await open(visitor, path);
    expect(body).toContain('value="Grace Hopper"');
    expect(body).toMatch(/<header[\s\S]*<bdi[^>]*>Grace Hopper<\/bdi>/);
    expect(body).toContain(text('profile.saved', other));
  });

  it.each(['', '   ', 'x'.repeat(101), 'a\u0000b'])('%j is rejected and stays in the field', async (name) => {
    const { status, body } = await send(visitor, { intent: 'rename', name });
    expect(status).toBe(422);
    expect(body).toContain(text('profile.invalid'));
    if (name.length > 100) expect(body).toContain(`value="${name}"`);
  });

  it('stays as it was typed while the user pool does not work', async () => {
    await confirmed({ intent: 'rename', name: 'Ada' });
    stack.cloud.faults.set({
      faults: [{ service: 'cognito-idp', operation: 'UpdateUserAttributes', kind: 'status', status: 500 }],
    });
    const { status, body } = await send(visitor, { intent: 'rename', name: 'Kept' });
    expect(status).toBe(502);
    expect(body).toContain('value="Kept"');
    expect(body).toContain(t('form.error.unavailable'));
    stack.cloud.faults.set({});
    expect((await send(visitor, { intent: 'rename', name: 'Kept' })).status).toBe(303);
  });
});

it('a form that the page does not have is a bad request', async () => {
  expect((await send(visitor, { intent: 'promote' })).status).toBe(400);
  expect((await send(visitor, {})).status).toBe(400);
});

describe('the password', () => {
  const change = (currentPassword: string, newPassword: string) =>
    send(visitor, { intent: 'change-password', currentPassword, newPassword });

  it('is changed, and the old one is not accepted any more', async () => {
    await confirmed({ intent: 'change-password' });
    expect((await change(PASSWORD, NEW_PASSWORD)).status).toBe(303);
    // Without a store, the page does not claim that other sessions have ended.
    expect((await open(visitor)).body).toContain(text('password.changedOnly'));
    const login = createHostedLoginVisitor(stack.cloud);
    const authorize = (await stack.visit().request('/auth/sign-in')).headers.location ?? '';
    await expect(login.signIn(authorize, { email, password: PASSWORD })).rejects.toThrow();
    await login.signIn(authorize, { email, password: NEW_PASSWORD });
  });

  // threat-model: T-137
  it.each([
    ['a wrong one', 'not the password', NEW_PASSWORD, 'wrong'],
    ['a new one that is too short', PASSWORD, 'short', 'rejected'],
    ['none', '', NEW_PASSWORD, 'missing'],
  ])('%s is said at its field, and no response contains a password', async (_what, current, next, error) => {
    await confirmed({ intent: 'change-password' });
    const { status, body } = await change(current, next);
    expect(status).toBe(422);
    expect(body).toContain(text(`password.error.${error}`));
    for (const password of [current, next].filter((value) => value.length > 5)) {
      expect(body).not.toContain(password);
    }
    // The same grant is good for another try.
    expect((await change(PASSWORD, NEW_PASSWORD)).status).toBe(303);
  });
});

describe('the export', () => {
  it('is a file that the published schema describes, with all that belongs to the visitor', async () => {
    await confirmed({ intent: 'export' });
    const file = await send(visitor, { intent: 'export' });
    expect(file.status).toBe(200);
    expect(file.headers['content-disposition']).toBe('attachment; filename="account.json"');
    expect(file.headers['content-type']).toContain('application/json');
    expect(file.headers['cache-control']).toContain('no-store');
    const content: unknown = JSON.parse(file.body);
    expect(content).toMatchObject({
      account: { attributes: { email } },
      sessions: [{ isCurrent: true }],
      preferences: { theme: 'system' },
    });
    const { $schema } = z.object({ $schema: z.string() }).parse(content);
    expect($schema.startsWith(stack.site.origin)).toBe(true);
    const published = await stack.get($schema.slice(stack.site.origin.length));
    expect(published.status).toBe(200);
    const schema = JSON.parse(published.body);
    expect(schema).toEqual(JSON.parse(readFileSync('public/account-export.schema.json', 'utf8')));
    expect(z.fromJSONSchema(schema).parse(content)).toEqual(content);
    expect(z.fromJSONSchema(schema).safeParse({ ...Object(content), more: 1 }).success).toBe(false);
    await begin(visitor, stack.cloud, { intent: 'export' });
  });
});

describe('the deletion', () => {
  /** Another member, and what the data API showed to this member before the visitor added records. */
  let reader: SiteVisitor;
  let before: string;
  beforeEach(async () => {
    reader = await stack.signUp(`reader-${count}`);
    before = await call(reader, shippedQuery);
  });
  const addRecords = async (number: number) => {
    for (let added = 0; added < number; added += 1) await call(visitor, shippedMutation());
    expect(await call(reader, shippedQuery)).not.toBe(before);
  };
  const isGone = async () => {
    const login = createHostedLoginVisitor(stack.cloud);
    const authorize = (await stack.visit().request('/auth/sign-in')).headers.location ?? '';
    return login.signIn(authorize, { email, password: PASSWORD }).then(
      () => false,
      () => true,
    );
  };
  const expectDeleted = async (response: Awaited<ReturnType<typeof send>>) => {
    expect([response.status, response.headers.location]).toEqual([303, '/']);
    expect(response.headers['clear-site-data']).toBe('"storage"');
    const home = await open(visitor, '/');
    expect(home.body).toContain(t('signedOut.accountDeleted'));
    expect(home.body).not.toContain(email);
    expect(await isGone()).toBe(true);
    expect(await call(reader, shippedQuery)).toBe(before);
  };

  it('deletes records and user, ends the session, and the home page says so', async () => {
    await addRecords(27);
    await confirmed(deletion);
    await expectDeleted(await send(visitor, deletion));
    expect(graphqlCalls().EraseMyRecords).toBe(3);
  });

  it('needs the checkbox', async () => {
    await confirmed(deletion);
    const { status, body } = await send(visitor, { intent: 'delete-account' });
    expect(status).toBe(422);
    expect(body).toContain(text('deletion.unconfirmed'));
    expect(await isGone()).toBe(false);
  });

  // threat-model: T-138
  it.each([
    ['before the records', { service: 'graphql', operation: 'EraseMyRecords' }, 'records'],
    ['at the user', { service: 'cognito-idp', operation: 'DeleteUser' }, 'sessions'],
  ])('that fails %s says what is done, and goes on with the same grant', async (_when, fault, done) => {
    await addRecords(1);
    await confirmed(deletion);
    stack.cloud.faults.set({ faults: [{ ...fault, kind: 'status', status: 500 }] });
    const { status, body } = await send(visitor, deletion);
    expect(status).toBe(502);
    expect(body).toContain(text('deletion.incomplete.title'));
    expect(body).toContain(text(`deletion.incomplete.${done}`));
    expect(await isGone()).toBe(false);
    stack.cloud.faults.set({});
    await expectDeleted(await send(visitor, deletion));
  });

  // threat-model: T-138
  it('that fails between two batches of records goes on with the rest', async () => {
    await addRecords(27);
    await confirmed(deletion);
    const erase = { service: 'graphql', operation: 'EraseMyRecords', times: 1 };
    stack.cloud.faults.set({
      faults: [
        { ...erase, kind: 'slow' },
        { ...erase, kind: 'status', status: 500 },
      ],
    });
    expect((await send(visitor, deletion)).body).toContain(text('deletion.incomplete.records'));
    await expectDeleted(await send(visitor, deletion));
  });

  // threat-model: T-138
  it('that is sent twice at the same time deletes once, and neither fails', async () => {
    await addRecords(1);
    await confirmed(deletion);
    const copy = visitor.copy();
    const both = await Promise.all([send(visitor, deletion), send(copy, deletion)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect(await isGone()).toBe(true);
  });

  it('that an old tab sends afterwards leads to the sign-in', async () => {
    await confirmed(deletion);
    const copy = visitor.copy();
    await expectDeleted(await send(visitor, deletion));
    const { status, headers } = await send(copy, deletion);
    expect([status, headers.location]).toEqual([302, '/auth/sign-in?returnTo=%2Faccount']);
  });
});

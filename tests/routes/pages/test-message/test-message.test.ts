import type { AppLoadContext } from '@remix-run/node';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessageOutcome } from '~/pages/test-message/message-outcome.ts';
import { action, loader } from '~/pages/test-message/test-message.tsx';
import { createServices, openRequestContext, type Services, sourceOf } from '~/server/request-context.ts';
import type { Session, SignedIn } from '../../../../packages/cognito-session/src/session/session.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';
import { startLocalCloud } from '../../../support/local-cloud.ts';
import { registerSecret } from '../../../support/secrets/secret-detection.ts';
import { APP_ORIGIN, signUp, siteEnv } from '../../../support/sign-in/signed-in-session.ts';
import { respondWith, startUpstream } from '../../../support/upstreams/scripted-upstream.ts';

let cloud: LocalCloud;
let services: Services;
let ada: SignedIn;
let ben: SignedIn;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [APP_ORIGIN], onSecret: registerSecret });
});
beforeEach(async () => {
  await cloud.reset();
  services = startServices();
  ada = await signUp(cloud);
  ben = await signUp(cloud);
  cloud.faults.forgetCalls();
});
afterEach(() => cloud.faults.set({}));
afterAll(() => cloud.close());

/** Services with the environment of the local cloud. `overrides` replace single variables. */
function startServices(overrides: Record<string, string> = {}): Services {
  const options = { buildId: 'test', publicDirectory: 'public' };
  return createServices(siteEnv(cloud, overrides), createLog('silent'), options);
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function open(session: Session, request: Request): Promise<AppLoadContext> {
  return { ...(await openRequestContext(services, sourceOf(request))), session };
}

async function load(session: Session, path = '/test-message', context?: AppLoadContext) {
  const request = new Request(APP_ORIGIN + path);
  const args = { request, context: context ?? (await open(session, request)), params: {} };
  const { data, init } = await loader(args);
  return { ...data, status: init?.status, context: args.context };
}

/** Sends the page's form. `outcome` is null when the response is a redirect. */
async function submit(
  session: Session,
  fields: Record<string, string>,
  { headers = {}, path = '/test-message' }: { headers?: Record<string, string>; path?: string } = {},
) {
  const body = new URLSearchParams(fields);
  const request = new Request(APP_ORIGIN + path, { method: 'POST', body, headers });
  const context = await open(session, request);
  try {
    const { data, init } = await action({ request, context, params: {} });
    return { outcome: data as MessageOutcome, status: init?.status, location: null, context };
  } catch (response) {
    if (!(response instanceof Response)) throw response;
    return {
      outcome: null,
      status: response.status,
      location: response.headers.get('location'),
      context,
    };
  }
}

async function messagesOf(session: Session, path?: string) {
  const { feed } = await load(session, path);
  if (feed.state !== 'listed') throw new Error(`No messages: ${feed.state}`);
  return feed;
}

describe('reading', () => {
  it('calls no upstream for a visitor who is not signed in', async () => {
    for (const state of ['anonymous', 'ended'] as const) {
      const { feed, status } = await load({ state });
      expect([feed, status]).toEqual([{ state: 'signed-out' }, 200]);
    }
    expect(cloud.faults.calls).toEqual({});
  });

  it('lists the messages of all users, newest first, and marks the user’s own', async () => {
    await submit(ada, { content: 'first' });
    await submit(ben, { content: 'second' });
    const { messages } = await messagesOf(ada);
    expect(messages.map(({ content, mine }) => [content, mine])).toEqual([
      ['second', false],
      ['first', true],
    ]);
  });

  it('lists older messages page by page', async () => {
    for (let number = 1; number <= 21; number += 1) await submit(ada, { content: `message ${number}` });
    const newest = await messagesOf(ada);
    expect(newest.messages).toHaveLength(20);
    const after = new URLSearchParams({ after: newest.nextToken ?? '' });
    const older = await messagesOf(ada, `/fr/test-message?${after}`);
    expect(older.messages.map(({ content }) => content)).toEqual(['message 1']);
    expect(older.nextToken).toBeNull();
  });

  it.each(['rubbish', 'x'.repeat(9000)])('returns 404 for an invalid page token', async (after) => {
    const { feed, status } = await load(ada, `/test-message?after=${after}`);
    expect([feed, status]).toMatchObject([{ state: 'failed', error: 'no-such-page' }, 404]);
  });

  /** Replaces the data API by one that uses the page tokens of AppSync. */
  async function startAppSync(body: object) {
    const appSync = await startUpstream(respondWith(200, body));
    services = startServices({ GRAPHQL_ENDPOINT: appSync.url, GRAPHQL_AUTH_MODE: 'userPool' });
    return appSync;
  }

  it('accepts page tokens as long as those of AppSync', async () => {
    const [token, nextToken] = ['a/+'.repeat(900), 'b/+'.repeat(900)];
    const appSync = await startAppSync({ data: { listMessages: { items: [], nextToken } } });
    const feed = await messagesOf(ada, `/test-message?${new URLSearchParams({ after: token })}`);
    expect(JSON.parse(appSync.received[0]?.body ?? '').variables.nextToken).toBe(token);
    expect(feed.nextToken).toBe(nextToken);
  });

  it('returns 404 when AppSync rejects the page token', async () => {
    const message = 'Invalid pagination token given. (Service: AmazonDynamoDBv2)';
    const error = { path: ['listMessages'], errorType: 'DynamoDB:UserIllegalArgumentException', message };
    await startAppSync({ data: null, errors: [error] });
    const { feed, status } = await load(ada, '/test-message?after=expired');
    expect([feed, status]).toMatchObject([{ state: 'failed', error: 'no-such-page' }, 404]);
  });

  it('shows on the page that the data API failed', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    const { feed, status, title } = await load(ada);
    expect(feed).toMatchObject({ state: 'failed', error: 'busy', timing: { failedLeg: 'upstream' } });
    expect(status).toBe(503);
    expect(title).not.toBe('');
  });

  it('shows that the identity pool rejected the sign-in', async () => {
    const tokens = { ...ada.tokens, idToken: ben.tokens.accessToken };
    const { feed } = await load({ ...ada, tokens });
    expect(feed).toMatchObject({ state: 'failed', error: 'refused', timing: { failedLeg: 'identity' } });
  });
});

describe('posting', () => {
  it('returns the outcome to a script, and redirects a form to the page', async () => {
    const script = await submit(ada, { content: '  by script ' }, { headers: { accept: '*/*' } });
    expect(script.outcome).toMatchObject({ type: 'posted', timing: { attempts: 1 } });
    expect(script.context.cookies.lines()).toEqual([]);

    const options = { headers: BROWSER, path: '/ar/test-message?after=x' };
    const form = await submit(ada, { content: 'by form' }, options);
    const newest = (await messagesOf(ada)).messages[0]?.id;
    expect([form.status, form.location]).toEqual([303, `/ar/test-message#message-${newest}`]);
    expect(form.context.cookies.lines()).toEqual([expect.stringMatching(/^outcome=/)]);

    expect((await messagesOf(ada)).messages.map(({ content }) => content)).toEqual(['by form', 'by script']);
  });

  it('shows the outcome of a form on the page after the redirect', async () => {
    const { context } = await submit(ada, { content: 'hello' }, { headers: BROWSER });
    const cookie = context.cookies.lines()[0]?.split(';')[0] ?? '';
    const request = new Request(`${APP_ORIGIN}/test-message`, { headers: { cookie } });
    const page = await open(ada, request);
    const { data } = await loader({ request, context: page, params: {} });
    expect(data.outcome).toMatchObject({ type: 'posted', timing: { attempts: 1 } });
    expect(page.cookies.lines()).toEqual([expect.stringMatching(/^outcome=; Max-Age=0/)]);
  });

  it.each([
    ['nothing', '', 'empty'],
    ['501 characters', 'é'.repeat(501), 'too-long'],
  ])('rejects %s with 422 and returns the text', async (_name, content, error) => {
    const { outcome, status } = await submit(ada, { content }, { headers: BROWSER });
    expect(outcome).toEqual({ type: 'failed', intent: 'post', error, content, timing: null });
    expect(status).toBe(422);
    expect(cloud.faults.calls).toEqual({});
  });

  it('accepts 500 characters of two code units each, with the line breaks of forms', async () => {
    const content = `${'🎈'.repeat(498)}\r\n🎈`;
    const { outcome } = await submit(ada, { content });
    expect(outcome).toMatchObject({ type: 'posted' });
    expect((await messagesOf(ada)).messages[0]?.content).toBe(content.replace('\r\n', '\n'));
  });

  it('returns the text when the session has ended', async () => {
    const { outcome, status } = await submit({ state: 'ended' }, { content: 'kept' }, { headers: BROWSER });
    const failure = { type: 'failed', intent: 'post', error: 'signed-out', content: 'kept', timing: null };
    expect(outcome).toEqual(failure);
    expect(status).toBe(401);
    expect(cloud.faults.calls).toEqual({});
  });

  it('returns the text when the data API fails, and calls the data API once', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 500 }] });
    const { outcome, status, context } = await submit(ada, { content: 'kept' }, { headers: BROWSER });
    const timing = { attempts: 1, failedLeg: 'upstream' };
    expect(outcome).toMatchObject({ type: 'failed', error: 'unavailable', content: 'kept', timing });
    expect(status).toBe(502);
    const { feed } = await load(ada, '/test-message', context);
    expect(feed).toEqual({ state: 'failed', error: 'unavailable', timing: null });
    const calls = Object.values(cloud.faults.calls.graphql ?? {}).reduce((sum, count) => sum + count, 0);
    expect(calls).toBe(1);
  });
});

describe('deleting', () => {
  async function post(session: Session): Promise<string> {
    await submit(session, { content: 'to be deleted' });
    return (await messagesOf(session)).messages[0]?.id ?? '';
  }

  it('deletes the user’s own message and redirects to the same page of messages', async () => {
    const id = await post(ada);
    const options = { headers: BROWSER, path: '/de/test-message?after=abc' };
    const form = await submit(ada, { intent: 'delete', id }, options);
    expect([form.status, form.location]).toEqual([303, '/de/test-message?after=abc#messages']);
    expect((await messagesOf(ada)).messages).toEqual([]);
  });

  it('does not delete the message of another user', async () => {
    const id = await post(ada);
    const { outcome, status } = await submit(ben, { intent: 'delete', id });
    expect([outcome, status]).toEqual([{ type: 'failed', intent: 'delete', error: 'not-yours' }, 403]);
    expect((await messagesOf(ada)).messages).toHaveLength(1);
  });

  it.each(['', 'no-such-message'])('returns 404 for a message that does not exist', async (id) => {
    const { outcome, status } = await submit(ada, { intent: 'delete', id });
    expect([outcome, status]).toEqual([{ type: 'failed', intent: 'delete', error: 'gone' }, 404]);
  });

  it('deletes nothing for a visitor who is not signed in, and leads to the sign-in and back', async () => {
    const id = await post(ada);
    const { location } = await submit({ state: 'anonymous' }, { intent: 'delete', id });
    expect(location).toBe('/auth/sign-in?returnTo=%2Ftest-message');
    expect((await messagesOf(ada)).messages).toHaveLength(1);
  });
});

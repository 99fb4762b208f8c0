/** The stream of events about messages, over HTTP. */
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CREATE_MESSAGE, DELETE_MESSAGE } from '../../../../app/graphql/messages.graphql.generated.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { setUpStack } from '../../support/set-up-stack.ts';

const stack = setUpStack();
const PATH = '/api/messages/events';

/** Opens the stream of a visitor. `received` is its text so far. */
async function openStream(
  visitor: SiteVisitor,
  headers: Record<string, string> = {},
  origin = stack.site.origin,
) {
  const cookie = visitor.cookies.header() ?? '';
  const client = new AbortController();
  onTestFinished(() => client.abort());
  const {
    statusCode,
    headers: head,
    body,
  } = await request(origin + PATH, {
    headers: { cookie, 'sec-fetch-site': 'same-origin', accept: 'text/event-stream', ...headers },
    signal: client.signal,
  });
  const stream = {
    status: statusCode,
    headers: head,
    received: '',
    isEnded: false,
    close: () => client.abort(),
  };
  body.setEncoding('utf8');
  body.on('data', (text: string) => {
    stream.received += text;
  });
  body.on('error', () => {});
  body.on('close', () => {
    stream.isEnded = true;
  });
  return stream;
}

/** Sends an operation, and returns the id of the message. */
async function send(
  visitor: SiteVisitor,
  operation: typeof CREATE_MESSAGE | typeof DELETE_MESSAGE,
  variables: object,
) {
  const { query, operationName } = operation;
  const { status, body } = await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables }),
  });
  expect(status).toBe(200);
  const { data } = JSON.parse(body);
  return String((data.createMessage ?? data.deleteMessage).id);
}

/** On a busy machine. Without the events the stream says something only after 20 seconds. */
const soon = { timeout: 5000, interval: 20 };

/** Opens a stream on which events arrive: the subscription has started when one does. */
async function openLiveStream(visitor: SiteVisitor, origin?: string) {
  const stream = await openStream(visitor, {}, origin);
  await expect
    .poll(async () => {
      await send(visitor, CREATE_MESSAGE, { content: 'first' });
      return stream.received;
    })
    .toContain('event: created');
  return stream;
}

// threat-model: T-149
it('has what others post and delete, as the list shows it', async () => {
  const [ada, ben] = [await stack.signUp('ada'), await stack.signUp('ben')];
  const stream = await openLiveStream(ada);
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(stream.received).toMatch(/^retry: 1\d{3}\n\nevent: gap\ndata: \{\}\n\n/);
  const content = 'line\n\nevent: gap\r\ndata: <b>\u2028&amp;';
  const id = await send(ben, CREATE_MESSAGE, { content });
  await expect.poll(() => stream.received, soon).toContain(id);
  const [data] = stream.received.match(new RegExp(`(?<=event: created\ndata: )[^\n]*${id}[^\n]*`)) ?? [''];
  const message = {
    id,
    content,
    createdAt: expect.any(String),
    author: expect.stringMatching(/^[0-9A-Z]{4}$/),
  };
  expect(JSON.parse(data)).toEqual(message);
  await send(ben, DELETE_MESSAGE, { id });
  await expect.poll(() => stream.received, soon).toContain(`event: deleted\ndata: {"id":"${id}"}\n\n`);
});

// threat-model: T-146
it.each([
  ['without a session', async () => stack.visit(), {}, 401],
  ['with a session that was signed out', signedOut, {}, 401],
  ['of a page of another site', () => stack.signUp('eve'), { 'sec-fetch-site': 'cross-site' }, 403],
  ['of a page of a sibling site', () => stack.signUp('sue'), { 'sec-fetch-site': 'same-site' }, 403],
  ['with a broken cookie', async () => stack.visit(), { cookie: 'session=x.y.z.a.b' }, 401],
] as const)('is not opened for a request %s', async (_what, visit, headers, status) => {
  const stream = await openStream(await visit(), headers);
  await expect.poll(() => stream.isEnded).toBe(true);
  expect([stream.status, stream.received]).toEqual([status, expect.not.stringContaining('event:')]);
});

async function signedOut(): Promise<SiteVisitor> {
  const visitor = await stack.signUp('olga');
  const copy = visitor.copy();
  await visitor.request('/auth/sign-out', { method: 'POST' });
  return copy;
}

// threat-model: T-148
it('is not opened for other methods and not for data of a page, and costs nothing for HEAD', async () => {
  const visitor = await stack.signUp('mia');
  const post = await visitor.request(PATH, { method: 'POST' });
  expect(post.status).toBe(405);
  for (const suffix of ['.data', '.data?a=b']) {
    expect((await visitor.request(PATH + suffix)).status).toBe(404);
  }
  for (let count = 0; count < 6; count += 1) {
    expect((await visitor.request(PATH, { method: 'HEAD' })).status).toBe(200);
  }
  expect((await openStream(visitor)).status).toBe(200);
});

// threat-model: T-147
it('ends with the session', async () => {
  const visitor = await stack.signUp('finn');
  const other = await openStream(await stack.signUp('gil'));
  const stream = await openStream(visitor.copy());
  await visitor.request('/auth/sign-out', { method: 'POST' });
  await expect.poll(() => stream.isEnded, soon).toBe(true);
  expect(other.isEnded).toBe(false);
});

// threat-model: T-148
it('is limited to four of a session, and can be opened again when one has ended', async () => {
  const visitor = await stack.signUp('max');
  const streams = await Promise.all(Array.from({ length: 4 }, () => openStream(visitor)));
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const fifth = await openStream(visitor);
  expect([fifth.status, fifth.headers['retry-after']]).toEqual([429, '30']);
  streams[0]?.close();
  await expect
    .poll(async () => {
      const stream = await openStream(visitor);
      if (stream.status === 200) stream.close();
      return stream.status;
    })
    .toBe(200);
});

it('has something every 20 seconds, so that no proxy closes it', async () => {
  const stream = await openStream(await stack.signUp('hal'));
  await expect.poll(() => stream.received, { timeout: 60_000 }).toMatch(/\n\n:\n\n/);
  expect(stream.isEnded).toBe(false);
});

describe('a site that stops', () => {
  const stopping = setUpStack({ environment: { DRAIN_SECONDS: '5' } });

  // threat-model: T-151
  it('ends its streams at once, says when to connect again, and exits with 0', async () => {
    const visitor = await stopping.signUp('ida');
    const stream = await openStream(visitor, {}, stopping.site.origin);
    const exited = stopping.site.stop('SIGTERM');
    await expect.poll(() => stream.isEnded).toBe(true);
    expect(stream.received).toMatch(/retry: [1-6]\d{3}\n\n$/);
    expect(stopping.site.isRunning(), 'it still accepts requests').toBe(true);
    expect(await exited).toBe(0);
  });
});

describe('a site that sends tokens to the API', () => {
  const site = setUpStack({ environment: { GRAPHQL_AUTH_MODE: 'userPool' } });

  // threat-model: T-153
  it('ends a stream with its tokens, so that the next one has fresh ones for the subscription', async () => {
    site.cloud.faults.set({ tokenSeconds: 15 });
    const visitor = await site.signUp('kai');
    site.cloud.faults.set({});
    const stream = await openStream(visitor.copy(), {}, site.site.origin);
    const elsewhere = await site.signUp('lea');
    await expect.poll(() => stream.isEnded).toBe(true);
    expect(stream.received).not.toContain('created');
    const next = await openLiveStream(visitor, site.site.origin);
    const id = await send(elsewhere, CREATE_MESSAGE, { content: 'again' });
    await expect.poll(() => next.received, soon).toContain(id);
  });
});

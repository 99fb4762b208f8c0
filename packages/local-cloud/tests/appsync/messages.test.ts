import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toItem } from '../../appsync/attribute-values.ts';
import { type AwsServices, startAwsServices } from '../support/aws-services.ts';
import {
  CREATE,
  createMessage,
  DELETE,
  LIST,
  listMessages,
  type Message,
  type Page,
  readJson,
  type Send,
  signedSender,
  tokenSender,
} from '../support/graphql-requests.ts';

const ERASE = 'mutation Erase { eraseMyMessages }';
const NOW = Date.parse('2026-11-21T10:00:00Z');

/** DynamoDB's limit for one `BatchWriteItem`. */
const MAX_BATCH = 25;
const isoTime = (time: number) => new Date(time).toISOString();
const numbered = (length: number) => Array.from({ length }, (_, index) => `Message ${index}`);

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(async () => {
  services.time.now = NOW;
  await services.reset();
});

/** Posts messages with these contents, one per millisecond, and returns them newest first. */
async function createMessages(send: Send, contents: readonly string[]): Promise<Message[]> {
  const messages: Message[] = [];
  for (const content of contents) {
    services.time.now += 1;
    messages.unshift(await createMessage(send, content));
  }
  return messages;
}

/** Writes messages directly to the table, with ascending ids, and returns the ids. */
async function storeMessages(count: number, authorOf: (index: number) => string): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `01M7YRRT80${String(index).padStart(16, '0')}`);
  const puts = ids.map((id, index) => {
    const item = { feed: 'messages', id, author: authorOf(index), content: 'x', createdAt: isoTime(NOW) };
    return { PutRequest: { Item: toItem(item) } };
  });
  for (let start = 0; start < puts.length; start += MAX_BATCH) {
    const messages = puts.slice(start, start + MAX_BATCH);
    await services.dynamoDb.call('BatchWriteItem', { RequestItems: { messages } });
  }
  return ids;
}

/** Reads all pages. */
async function listAllMessages(send: Send, limit: number): Promise<Message[]> {
  const messages: Message[] = [];
  let nextToken: string | null = null;
  do {
    const page: Page = await listMessages(send, { limit, nextToken });
    messages.push(...page.items);
    nextToken = page.nextToken;
  } while (nextToken !== null);
  return messages;
}

describe('messages', () => {
  test('are listed newest first and say whether the caller is the author', async () => {
    const [ada, grace] = [signedSender(services, randomUUID()), signedSender(services, randomUUID())];
    const first = await createMessage(ada, '  Hello 👋🏽  ');
    services.time.now += 1;
    const second = await createMessage(grace, 'مرحبا');
    expect(first).toEqual({
      id: expect.stringMatching(/^01M7YRRT80[0-9A-HJKMNP-TV-Z]{16}$/),
      content: 'Hello 👋🏽',
      createdAt: '2026-11-21T10:00:00.000Z',
      mine: true,
      author: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}$/),
    });
    expect(second.author).not.toBe(first.author);
    expect(await listMessages(ada)).toEqual({ items: [{ ...second, mine: false }, first], nextToken: null });
    expect(await listMessages(grace)).toEqual({
      items: [second, { ...first, mine: false }],
      nextToken: null,
    });
  });

  test('belong to the same author in signed requests and in requests with a token', async () => {
    const grant = services.grant();
    const message = await createMessage(signedSender(services, grant.sub), 'Mine');
    const { items } = await listMessages(tokenSender(services, await services.tokens.mintAccessToken(grant)));
    expect(items).toEqual([message]);
  });

  test('are returned in pages that remain consistent when messages are created and deleted', async () => {
    const send = signedSender(services, randomUUID());
    const messages = await createMessages(send, numbered(25));
    const first = await listMessages(send);
    expect(first.items).toEqual(messages.slice(0, 20));
    await createMessages(send, ['A later one']);
    await readJson(send({ query: DELETE, variables: { id: messages[19]?.id } }));
    const second = await listMessages(send, { nextToken: first.nextToken });
    expect(second).toEqual({ items: messages.slice(20), nextToken: null });
    expect((await listMessages(send, { limit: 50 })).items).toHaveLength(25);
  });

  const rejected: [what: string, query: string, variables: Record<string, unknown>, message: string][] = [
    ['an empty text', CREATE, { content: '' }, 'content must have 1 to 500 characters.'],
    ['only white space', CREATE, { content: ' \n\u00a0\u3000' }, 'content must have 1 to 500 characters.'],
    ['501 characters', CREATE, { content: '🎈'.repeat(501) }, 'content must have 1 to 500 characters.'],
    ['a page size of 0', LIST, { limit: 0 }, 'limit must be 1 to 50.'],
    ['a page size of 51', LIST, { limit: 51 }, 'limit must be 1 to 50.'],
    ['an invalid pagination token', LIST, { nextToken: 'YWJj' }, 'Invalid pagination token given.'],
    ['an empty pagination token', LIST, { nextToken: '' }, 'Invalid pagination token given.'],
  ];

  test.each(rejected)('are neither listed nor created with %s', async (_, query, variables, text) => {
    const send = signedSender(services, randomUUID());
    expect(await readJson(send({ query, variables }))).toMatchObject({
      data: null,
      errors: [{ errorType: 'ValidationError', errorInfo: null, message: text }],
    });
    expect((await listMessages(send)).items).toEqual([]);
  });

  test('may have 500 characters, counted in code points', async () => {
    const content = '🎈'.repeat(500);
    expect((await createMessage(signedSender(services, randomUUID()), content)).content).toBe(content);
  });

  test('with unpaired surrogates are rejected', async () => {
    const send = signedSender(services, randomUUID());
    for (const content of ['a\ud83c', '\udf88b']) {
      expect(await readJson(send({ query: CREATE, variables: { content } }))).toMatchObject({
        errors: [{ errorType: 'ValidationError' }],
      });
    }
  });

  test('can be deleted only by their author', async () => {
    const [ada, grace] = [signedSender(services, randomUUID()), signedSender(services, randomUUID())];
    const { id, content } = await createMessage(ada, 'Hers');
    const remove = { query: DELETE, variables: { id } };
    expect(await readJson(grace(remove))).toMatchObject({
      data: null,
      errors: [{ path: ['deleteMessage'], errorType: 'Unauthorized' }],
    });
    expect((await listMessages(ada)).items).toHaveLength(1);
    expect(await readJson(ada(remove))).toEqual({ data: { deleteMessage: { id, content, mine: true } } });
    expect((await listMessages(ada)).items).toEqual([]);
    expect(await readJson(ada(remove))).toMatchObject({ data: null, errors: [{ errorType: 'NotFound' }] });
  });

  test('of one millisecond are all stored, and listed in the same order on every page size', async () => {
    const ada = signedSender(services, randomUUID());
    const contents = numbered(30);
    await Promise.all(contents.map((content) => createMessage(ada, content)));
    const { items } = await listMessages(ada, { limit: 50 });
    expect(new Set(items.map(({ content }) => content))).toEqual(new Set(contents));
    expect(new Set(items.map(({ createdAt }) => createdAt))).toEqual(new Set([isoTime(NOW)]));
    for (const limit of [1, 7]) expect(await listAllMessages(ada, limit)).toEqual(items);
  });

  test('have a last page without a token, even when it is full', async () => {
    const ada = signedSender(services, randomUUID());
    await createMessages(ada, numbered(20));
    expect((await listMessages(ada)).nextToken).toBeNull();
  });

  test('of one member are erased in steps, and those of others remain', async () => {
    const [adaSub, graceSub] = [randomUUID(), randomUUID()];
    const [ada, grace] = [signedSender(services, adaSub), signedSender(services, graceSub)];
    await storeMessages(80, (index) => (index % 4 === 0 ? graceSub : adaSub));
    const erase = async (send: Send) => {
      const { data } = await readJson<{ data: { eraseMyMessages: number } }>(send({ query: ERASE }));
      return data.eraseMyMessages;
    };
    expect([await erase(ada), await erase(ada), await erase(ada), await erase(ada)]).toEqual([25, 25, 10, 0]);
    const left = await listAllMessages(grace, 50);
    expect(left).toHaveLength(20);
    expect(left.every(({ mine }) => mine)).toBe(true);
  });

  test('are erased by members only', async () => {
    for (const send of [signedSender(services, null), tokenSender(services, 'none')]) {
      const { data } = (await (await send({ query: ERASE })).json()) as { data?: unknown };
      expect(data ?? null).toBeNull();
    }
  });

  test('remain after a restart, while credentials become invalid', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'messages-'));
    try {
      // The list of messages in earlier versions.
      const earlier = { messages: { nextSequence: 2, messages: [{ id: 'a', sequence: 1 }] } };
      writeFileSync(join(directory, 'state.json'), JSON.stringify(earlier));
      const sub = randomUUID();
      const before = await startAwsServices({ directory });
      const key = before.identityPool.accessKeys.issue('id', sub);
      const message = await createMessage(signedSender(before, sub, key), 'Still here');
      await before.close();
      const after = await startAwsServices({ directory });
      const rejection = await signedSender(after, sub, key)({ query: LIST });
      expect(rejection.headers.get('x-amzn-errortype')).toBe('UnrecognizedClientException');
      expect((await listMessages(signedSender(after, sub))).items).toEqual([message]);
      await after.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

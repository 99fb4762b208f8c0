import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AwsServices, startAwsServices } from '../../../support/local-cloud/aws-services.ts';
import {
  CREATE,
  createMessage,
  DELETE,
  LIST,
  listMessages,
  type Message,
  readJson,
  signedSender,
  tokenSender,
} from '../../../support/local-cloud/graphql-requests.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(() => {
  services.time.now = NOW;
  services.store.reset();
});

describe('messages', () => {
  test('are listed newest first and say whether the caller is the author', async () => {
    const [ada, grace] = [signedSender(services, randomUUID()), signedSender(services, randomUUID())];
    const first = await createMessage(ada, '  Hello 👋🏽  ');
    services.time.now += 1;
    const second = await createMessage(grace, 'مرحبا');
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      content: 'Hello 👋🏽',
      createdAt: '2026-11-21T10:00:00.000Z',
      mine: true,
    });
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
    const contents = Array.from({ length: 25 }, (_, index) => `Message ${index}`);
    const messages: Message[] = [];
    for (const content of contents) messages.unshift(await createMessage(send, content));
    const first = await listMessages(send);
    expect(first.items).toEqual(messages.slice(0, 20));
    await createMessage(send, 'A later one');
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

  test('are limited to the newest thousand', async () => {
    for (let index = 1; index <= 1_002; index += 1) services.messages.add('ada', String(index));
    let before: number | null = null;
    const contents: string[] = [];
    do {
      const { messages, next } = services.messages.page(50, before);
      contents.push(...messages.map(({ content }) => content));
      before = next;
    } while (before !== null);
    expect(contents).toHaveLength(1_000);
    expect([contents.at(0), contents.at(-1)]).toEqual(['1002', '3']);
  });

  test('remain after a restart, while credentials become invalid', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'messages-'));
    try {
      const sub = randomUUID();
      const before = await startAwsServices({ directory });
      const key = before.accessKeys.issue('id', sub);
      const message = await createMessage(signedSender(before, sub, { key }), 'Still here');
      await before.close();
      const after = await startAwsServices({ directory });
      const rejection = await signedSender(after, sub, { key })({ query: LIST });
      expect(rejection.headers.get('x-amzn-errortype')).toBe('UnrecognizedClientException');
      expect((await listMessages(signedSender(after, sub))).items).toEqual([message]);
      await after.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

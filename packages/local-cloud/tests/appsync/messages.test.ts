import { beforeEach, describe, expect, test } from 'vitest';
import {
  CREATE,
  createMessage,
  DELETE,
  LIST,
  listMessages,
  type Member,
  type Message,
  type Page,
  readJson,
  type Send,
  signedSender,
  signUpMember,
  tokenSender,
} from '../support/graphql-requests.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { callAws, signUpAtClient } from '../support/signed-up-client.ts';

const REMOVE = 'mutation Remove($id: ID!) { removeMessage(id: $id) { id mine author } }';
const ERASE = 'mutation Erase { eraseMyRecords }';
const NOW = Date.parse('2026-11-21T10:00:00Z');
const isoTime = (time: number) => new Date(time).toISOString();
const numbered = (length: number) => Array.from({ length }, (_, index) => `Message ${index}`);

const local = startLocalCloudForTests();
let ada: Member;
let grace: Member;
beforeEach(async () => {
  local.now = NOW;
  [ada, grace] = [await signUpMember(local), await signUpMember(local)];
});

/** Signs up, joins the administrators, and gets new tokens. */
async function signUpAdministrator(): Promise<Member> {
  const { cloud } = local;
  const { client, refreshToken } = await signUpAtClient(cloud, 'rotating', {}, 'boss@example.com');
  await callAws(cloud, 'cognito-idp', 'AdminAddUserToGroup', {
    UserPoolId: cloud.environment().COGNITO_USER_POOL_ID,
    Username: 'boss@example.com',
    GroupName: 'admins',
  });
  const { id_token: idToken = '', access_token: accessToken = '' } = (await client.refresh(refreshToken))
    .body;
  return { idToken, accessToken, send: await signedSender(local, idToken) };
}

/** Posts messages with these contents, one per millisecond, and returns them newest first. */
async function createMessages(send: Send, contents: readonly string[]): Promise<Message[]> {
  const messages: Message[] = [];
  for (const content of contents) {
    local.now += 1;
    messages.unshift(await createMessage(send, content));
  }
  return messages;
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
    const first = await createMessage(ada.send, '  Hello 👋🏽  ');
    local.now += 1;
    const second = await createMessage(grace.send, 'مرحبا');
    expect(first).toEqual({
      id: expect.stringMatching(/^01M7YRRT80[0-9A-HJKMNP-TV-Z]{16}$/),
      content: 'Hello 👋🏽',
      createdAt: '2026-11-21T10:00:00.000Z',
      mine: true,
      author: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}$/),
    });
    expect(second.author).not.toBe(first.author);
    expect(await listMessages(ada.send)).toEqual({
      items: [{ ...second, mine: false }, first],
      nextToken: null,
    });
    expect(await listMessages(grace.send)).toEqual({
      items: [second, { ...first, mine: false }],
      nextToken: null,
    });
  });

  test('belong to the same author in signed requests and in requests with a token', async () => {
    const message = await createMessage(ada.send, 'Mine');
    const { items } = await listMessages(tokenSender(local.cloud, ada.accessToken));
    expect(items).toEqual([message]);
  });

  test('are returned in pages that remain consistent when messages are created and deleted', async () => {
    const { send } = ada;
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
    [
      'only characters without a width',
      CREATE,
      { content: '\u200b\u2060 \ufeff' },
      'content must have 1 to 500 characters.',
    ],
    ['501 characters', CREATE, { content: '🎈'.repeat(501) }, 'content must have 1 to 500 characters.'],
    ['a page size of 0', LIST, { limit: 0 }, 'limit must be 1 to 50.'],
    ['a page size of 51', LIST, { limit: 51 }, 'limit must be 1 to 50.'],
    ['an invalid pagination token', LIST, { nextToken: 'YWJj' }, 'Invalid pagination token given.'],
    ['an empty pagination token', LIST, { nextToken: '' }, 'Invalid pagination token given.'],
  ];

  test.each(rejected)('are neither listed nor created with %s', async (_, query, variables, text) => {
    const { send } = ada;
    expect(await readJson(send({ query, variables }))).toMatchObject({
      data: null,
      errors: [{ errorType: 'ValidationError', errorInfo: null, message: text }],
    });
    expect((await listMessages(send)).items).toEqual([]);
  });

  test('may have 500 characters, counted in code points', async () => {
    const content = '🎈'.repeat(500);
    expect((await createMessage(ada.send, content)).content).toBe(content);
  });

  test('with unpaired surrogates are rejected', async () => {
    const { send } = ada;
    for (const content of ['a\ud83c', '\udf88b']) {
      expect(await readJson(send({ query: CREATE, variables: { content } }))).toMatchObject({
        errors: [{ errorType: 'ValidationError' }],
      });
    }
  });

  test('can be deleted only by their author', async () => {
    const { id, content } = await createMessage(ada.send, 'Hers');
    const remove = { query: DELETE, variables: { id } };
    expect(await readJson(grace.send(remove))).toMatchObject({
      data: null,
      errors: [{ path: ['deleteMessage'], errorType: 'Unauthorized' }],
    });
    expect((await listMessages(ada.send)).items).toHaveLength(1);
    expect(await readJson(ada.send(remove))).toEqual({
      data: { deleteMessage: { id, content, mine: true } },
    });
    expect((await listMessages(ada.send)).items).toEqual([]);
    expect(await readJson(ada.send(remove))).toMatchObject({
      data: null,
      errors: [{ errorType: 'NotFound' }],
    });
  });

  // threat-model: T-115
  test('can be removed by administrators only, with a signature and with a token', async () => {
    const remove = ({ id }: Message) => ({ query: REMOVE, variables: { id } });
    const message = await createMessage(ada.send, 'To be removed');
    const guest = await signedSender(local);
    for (const send of [ada.send, grace.send, guest]) {
      const response = await send(remove(message));
      expect([response.status, await response.json()]).toMatchObject([
        401,
        { errors: [{ errorType: 'UnauthorizedException', message: 'Permission denied' }] },
      ]);
    }
    for (const token of [ada.accessToken, ada.idToken, grace.accessToken]) {
      expect(await readJson(tokenSender(local.cloud, token)(remove(message)))).toMatchObject({
        data: null,
        errors: [{ path: ['removeMessage'], errorType: 'Unauthorized' }],
      });
    }
    expect((await listMessages(ada.send)).items).toEqual([message]);

    const admin = await signUpAdministrator();
    const own = await createMessage(admin.send, 'Own');
    expect(await readJson(admin.send({ query: DELETE, variables: { id: message.id } }))).toMatchObject({
      errors: [{ errorType: 'Unauthorized' }],
    });
    expect(await readJson(admin.send(remove(message)))).toEqual({
      data: { removeMessage: { id: message.id, mine: false, author: message.author } },
    });
    expect(await readJson(tokenSender(local.cloud, admin.accessToken)(remove(own)))).toEqual({
      data: { removeMessage: { id: own.id, mine: true, author: own.author } },
    });
    expect((await listMessages(ada.send)).items).toEqual([]);
    for (const id of [message.id, 'no id']) {
      expect(await readJson(admin.send({ query: REMOVE, variables: { id } }))).toMatchObject({
        data: null,
        errors: [{ errorType: 'NotFound' }],
      });
    }
  });

  test('of one millisecond are all stored, and listed in the same order on every page size', async () => {
    const contents = numbered(30);
    await Promise.all(contents.map((content) => createMessage(ada.send, content)));
    const { items } = await listMessages(ada.send, { limit: 50 });
    expect(new Set(items.map(({ content }) => content))).toEqual(new Set(contents));
    expect(new Set(items.map(({ createdAt }) => createdAt))).toEqual(new Set([isoTime(NOW)]));
    for (const limit of [1, 7]) expect(await listAllMessages(ada.send, limit)).toEqual(items);
  });

  test('have a last page without a token, even when it is full', async () => {
    await createMessages(ada.send, numbered(20));
    expect((await listMessages(ada.send)).nextToken).toBeNull();
  });

  test('of one member are erased in steps, and those of others remain', async () => {
    for (const { send } of [ada, ada, grace]) await createMessages(send, numbered(20));
    const erase = async ({ send }: Member) => {
      const { data } = await readJson<{ data: { eraseMyRecords: number } }>(send({ query: ERASE }));
      return data.eraseMyRecords;
    };
    expect([await erase(ada), await erase(ada), await erase(ada)]).toEqual([25, 15, 0]);
    const left = await listAllMessages(grace.send, 50);
    expect(left.map(({ mine }) => mine)).toEqual(Array(20).fill(true));
  });

  test('are erased by members only', async () => {
    for (const send of [await signedSender(local), tokenSender(local.cloud, 'none')]) {
      const { data } = (await (await send({ query: ERASE })).json()) as { data?: unknown };
      expect(data ?? null).toBeNull();
    }
  });
});

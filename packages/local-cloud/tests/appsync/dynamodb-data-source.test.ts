import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toItem } from '../../src/appsync/attribute-values.ts';
import { createDynamoDbDataSource, type DataSource } from '../../src/appsync/dynamodb-data-source.ts';
import { type DynamoDb, openDynamoDb } from '../../src/dynamodb/dynamodb.ts';
import { readInfra } from '../../src/infra/infra.ts';
import { siteInfra } from '../support/infra.ts';

const { table } = readInfra(siteInfra);
let dynamoDb: DynamoDb;
let execute: DataSource;

beforeAll(async () => {
  dynamoDb = openDynamoDb(null, table, Date.now);
  execute = createDynamoDbDataSource(dynamoDb.call);
});
beforeEach(() => dynamoDb.reset());
afterAll(() => dynamoDb.close());

const keyOf = (id: string) => toItem({ feed: 'f', id });
const put = (id: string, values: object, condition?: object) =>
  execute({ operation: 'PutItem', key: keyOf(id), attributeValues: toItem(values), ...condition });
const get = (id: string) => execute({ operation: 'GetItem', key: keyOf(id), consistentRead: true });
const remove = (id: string, condition?: object) =>
  execute({ operation: 'DeleteItem', key: keyOf(id), ...condition });
const query = (options: object = {}) =>
  execute({
    operation: 'Query',
    query: { expression: 'feed = :feed', expressionValues: toItem({ ':feed': 'f' }) },
    ...options,
  });

const ifNew = { condition: { expression: 'attribute_not_exists(id)' } };
const ifExists = { condition: { expression: 'attribute_exists(id)' } };
const conditionFailed = {
  result: null,
  error: {
    type: 'DynamoDB:ConditionalCheckFailedException',
    message: expect.stringMatching(
      /^The conditional request failed \(Service: AmazonDynamoDBv2; Status Code: 400; /,
    ),
  },
};

describe('GetItem and PutItem', () => {
  test('store and return values of every JSON type', async () => {
    const values = { text: 'é🎈', count: 1.5, isDraft: false, parent: null, tags: ['a', 1], of: { b: [] } };
    const item = { feed: 'f', id: '1', ...values };
    expect(await put('1', values)).toEqual({ result: item });
    expect(await get('1')).toEqual({ result: item });
    expect(await get('2')).toEqual({ result: null });
  });

  test('fail for a condition that is not met, unless the same item is stored already', async () => {
    await put('1', { text: 'first' });
    expect(await put('1', { text: 'second' }, ifNew)).toEqual(conditionFailed);
    expect(await put('1', { text: 'first' }, ifNew)).toEqual({
      result: { feed: 'f', id: '1', text: 'first' },
    });
  });
});

describe('DeleteItem', () => {
  test('returns the deleted item, or null when there was none', async () => {
    await put('1', { author: 'ann' });
    expect(await remove('1')).toEqual({ result: { feed: 'f', id: '1', author: 'ann' } });
    expect(await remove('1')).toEqual({ result: null });
  });

  test('fails for a condition that is not met, unless the item does not exist', async () => {
    await put('1', { author: 'ann' });
    const ifAuthor = {
      condition: {
        expression: '#author = :caller',
        expressionNames: { '#author': 'author' },
        expressionValues: toItem({ ':caller': 'ben' }),
      },
    };
    expect(await remove('1', ifAuthor)).toEqual(conditionFailed);
    expect((await get('1')).result).not.toBeNull();
    expect(await remove('2', ifExists)).toEqual({ result: null });
  });
});

describe('Query', () => {
  test('returns pages with tokens as long as those of AppSync', async () => {
    for (const id of ['1', '2', '3']) await put(id, {});
    const first = await query({ limit: 2 });
    expect(first.result).toEqual({
      items: [
        { feed: 'f', id: '1' },
        { feed: 'f', id: '2' },
      ],
      nextToken: expect.stringMatching(/^[A-Za-z0-9+/]{2620}$/),
      scannedCount: 2,
    });
    const { nextToken } = first.result as { nextToken: string };
    expect(await query({ limit: 2, nextToken })).toEqual({
      result: { items: [{ feed: 'f', id: '3' }], nextToken: null, scannedCount: 1 },
    });
    expect((await query({ scanIndexForward: false, limit: 1 })).result).toMatchObject({
      items: [{ id: '3' }],
    });
  });

  test('rejects an invalid page token with the error type of AppSync', async () => {
    expect(await query({ nextToken: 'nonsense' })).toMatchObject({
      result: null,
      error: {
        type: 'DynamoDB:UserIllegalArgumentException',
        message: expect.stringMatching(/^Invalid pagination token given\./),
      },
    });
  });
});

test('UpdateItem changes attributes and returns the item, unless its condition is not met', async () => {
  await put('1', { text: 'first', author: 'ann' });
  const update = (author: string) =>
    execute({
      operation: 'UpdateItem',
      key: keyOf('1'),
      update: {
        expression: 'SET #text = :text',
        expressionNames: { '#text': 'text' },
        expressionValues: toItem({ ':text': 'second' }),
      },
      condition: { expression: 'author = :author', expressionValues: toItem({ ':author': author }) },
    });
  expect(await update('ben')).toEqual(conditionFailed);
  expect(await update('ann')).toEqual({ result: { feed: 'f', id: '1', text: 'second', author: 'ann' } });
});

test('Scan filters, and reads only the attributes of a projection', async () => {
  await put('1', { author: 'ann', text: 'first' });
  await put('2', { author: 'ben', text: 'second' });
  const request = {
    operation: 'Scan',
    filter: { expression: 'author = :ben', expressionValues: toItem({ ':ben': 'ben' }) },
    projection: { expression: 'id, #text', expressionNames: { '#text': 'text' } },
  };
  expect(await execute(request)).toEqual({
    result: { items: [{ id: '2', text: 'second' }], nextToken: null, scannedCount: 2 },
  });
});

test('a put whose condition is not met succeeds if the stored item differs only in ignored attributes', async () => {
  await put('1', { text: 'first', at: 1 });
  const unlessTextDiffers = { condition: { ...ifNew.condition, equalsIgnore: ['at'] } };
  expect(await put('1', { text: 'first', at: 2 }, unlessTextDiffers)).toMatchObject({ result: { at: 2 } });
  expect(await put('1', { text: 'second', at: 2 }, unlessTextDiffers)).toEqual(conditionFailed);
});

test('batches put, get and delete items, and have null for an item that does not exist', async () => {
  const items = [toItem({ feed: 'f', id: '1', text: 'first' }), toItem({ feed: 'f', id: '2' })];
  const messages = [
    { feed: 'f', id: '1', text: 'first' },
    { feed: 'f', id: '2' },
  ];
  expect(await execute({ operation: 'BatchPutItem', tables: { messages: items } })).toEqual({
    result: { data: { messages }, unprocessedItems: { messages: [] } },
  });
  const keys = ['2', '3', '1'].map(keyOf);
  expect(await execute({ operation: 'BatchGetItem', tables: { messages: { keys } } })).toEqual({
    result: { data: { messages: [messages[1], null, messages[0]] }, unprocessedKeys: { messages: [] } },
  });
  const deletion = { operation: 'BatchDeleteItem', tables: { messages: [keyOf('1'), keyOf('3')] } };
  expect(await execute(deletion)).toMatchObject({ result: { unprocessedKeys: { messages: [] } } });
  expect((await query()).result).toMatchObject({ items: [{ id: '2' }] });
});

describe('a transaction', () => {
  const transact = (...transactItems: object[]) =>
    execute({ operation: 'TransactWriteItems', transactItems });
  const putOf = (id: string, values: object, condition = {}) => ({
    table: 'messages',
    operation: 'PutItem',
    key: keyOf(id),
    attributeValues: toItem(values),
    ...condition,
  });
  const setText = (id: string, text: string, condition = {}) => ({
    table: 'messages',
    operation: 'UpdateItem',
    key: keyOf(id),
    update: {
      expression: 'SET #text = :text',
      expressionNames: { '#text': 'text' },
      expressionValues: toItem({ ':text': text }),
    },
    ...condition,
  });
  const removal = (id: string) => ({ table: 'messages', operation: 'DeleteItem', key: keyOf(id) });
  const check = (id: string, { condition } = ifExists) => ({
    table: 'messages',
    operation: 'ConditionCheck',
    key: keyOf(id),
    condition,
  });
  const stored = async () => (await query()).result;

  test('writes all items and returns their keys', async () => {
    await put('1', { text: 'first' });
    await put('2', {});
    expect(
      await transact(setText('1', 'changed'), removal('2'), putOf('3', {}, ifNew), check('4', ifNew)),
    ).toEqual({
      result: { keys: ['1', '2', '3', '4'].map((id) => ({ feed: 'f', id })), cancellationReasons: null },
    });
    expect(await stored()).toMatchObject({
      items: [
        { feed: 'f', id: '1', text: 'changed' },
        { feed: 'f', id: '3' },
      ],
    });
  });

  test('writes nothing if a condition is not met, and says which one', async () => {
    await put('1', { text: 'first' });
    await put('2', {});
    const before = await stored();
    const none = { type: 'None', message: 'None' };
    const failed = { type: 'ConditionalCheckFailed', message: 'The conditional request failed' };
    const outcome = await transact(
      setText('1', 'changed'),
      removal('2'),
      putOf('3', {}),
      check('4'),
      setText('5', 'changed', ifExists),
    );
    expect(outcome).toEqual({
      result: { keys: null, cancellationReasons: [none, none, none, failed, failed] },
      error: {
        type: 'DynamoDB:TransactionCanceledException',
        message: expect.stringContaining(
          '[None, None, None, ConditionalCheckFailed, ConditionalCheckFailed]',
        ),
      },
    });
    expect(await stored()).toEqual(before);
    expect(await transact(putOf('1', {}, ifNew))).toMatchObject({
      result: { cancellationReasons: [{ ...failed, item: { feed: 'f', id: '1', text: 'first' } }] },
    });
  });

  test('writes nothing if an item is not valid, or occurs twice', async () => {
    const error = { type: 'DynamoDB:ValidationException' };
    expect(await transact(putOf('1', {}), putOf('', {}))).toMatchObject({ result: null, error });
    expect(await transact(putOf('1', {}), removal('1'))).toMatchObject({ result: null, error });
    expect(await stored()).toMatchObject({ items: [] });
  });

  test('is isolated from other requests', async () => {
    await put('1', { count: 0 });
    const key = keyOf('1');
    const update = {
      expression: 'ADD #count :one',
      expressionNames: { '#count': 'count' },
      expressionValues: toItem({ ':one': 1 }),
    };
    const increment = { table: 'messages', operation: 'UpdateItem', key, update };
    await Promise.all([
      transact(increment, check('2')),
      execute({ operation: 'UpdateItem', key, update }),
      transact(increment),
    ]);
    expect((await get('1')).result).toMatchObject({ count: 2 });
  });

  test('reads items, with null for one that does not exist', async () => {
    await put('1', {});
    const request = {
      operation: 'TransactGetItems',
      transactItems: ['2', '1'].map((id) => ({ table: 'messages', key: keyOf(id) })),
    };
    expect(await execute(request)).toEqual({
      result: { items: [null, { feed: 'f', id: '1' }], cancellationReasons: null },
    });
  });
});

test('items whose time to live is over are deleted at the next start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'dynamodb-'));
  const at = 1_800_000_000;
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
  const open = async (seconds: number) => {
    const opened = openDynamoDb(directory, { ...table, TimeToLiveSpecification }, () => seconds * 1000);
    const found = await createDynamoDbDataSource(opened.call)({ operation: 'Scan' });
    return { ...opened, ids: (found.result as { items: { id: string }[] }).items.map(({ id }) => id) };
  };
  const first = await open(at);
  const tenYears = 10 * 365 * 24 * 60 * 60;
  for (const [id, expiresAt] of Object.entries({
    over: at,
    later: at + 1,
    ancient: at - tenYears,
    text: 'x',
  })) {
    await first.call('PutItem', { TableName: 'messages', Item: toItem({ feed: 'f', id, expiresAt }) });
  }
  await first.close();
  const second = await open(at);
  expect(second.ids.sort()).toEqual(['ancient', 'later', 'text']);
  await second.close();
  await rm(directory, { recursive: true });
});

test('a request with a key of the wrong form is an error of DynamoDB', async () => {
  expect(await get('')).toMatchObject({ result: null, error: { type: 'DynamoDB:ValidationException' } });
});

test('a request that the local cloud does not support throws', async () => {
  await expect(execute({ operation: 'Sync' })).rejects.toThrow(
    'The local cloud does not support the operation Sync.',
  );
  await expect(query({ filters: 'author' })).rejects.toThrow(/does not support: .*\n.*"filters"/);
});

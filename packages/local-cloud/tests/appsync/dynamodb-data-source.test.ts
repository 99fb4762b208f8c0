import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toItem } from '../../appsync/attribute-values.ts';
import { DataSourceRole } from '../../appsync/data-source-role.ts';
import { createDynamoDbDataSource, type DataSource } from '../../appsync/dynamodb-data-source.ts';
import { type DynamoDb, openDynamoDb } from '../../dynamodb/dynamodb.ts';

let dynamoDb: DynamoDb;
let execute: DataSource;

beforeAll(async () => {
  dynamoDb = await openDynamoDb(null);
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

test('BatchDeleteItem deletes items of the table, and ignores those that do not exist', async () => {
  await put('1', {});
  await put('2', {});
  const request = { operation: 'BatchDeleteItem', tables: { messages: [keyOf('1'), keyOf('3')] } };
  expect(await execute(request)).toMatchObject({ result: { unprocessedKeys: { messages: [] } } });
  expect((await query()).result).toMatchObject({ items: [{ id: '2' }] });
});

describe('the role of the data source', () => {
  const template = readFileSync('infra/template.yaml', 'utf8');
  const item = { TableName: 'messages', Key: keyOf('1') };
  const denied = (operation: string, resource: string) =>
    new RegExp(
      `is not authorized to perform: dynamodb:${operation} on resource: .*table/messages${resource}$`,
    );

  test('allows what the template allows', () => {
    const role = new DataSourceRole();
    for (const operation of ['GetItem', 'PutItem', 'DeleteItem', 'Query', 'BatchWriteItem']) {
      expect(() => role.authorize(operation, item), operation).not.toThrow();
    }
    expect(() => role.authorize('Query', { IndexName: 'byAuthor' })).not.toThrow();
  });

  test('denies everything else', () => {
    const role = new DataSourceRole();
    expect(() => role.authorize('Scan', item)).toThrow(denied('Scan', ''));
    expect(() => role.authorize('GetItem', { IndexName: 'byAuthor' })).toThrow(
      denied('GetItem', '/index/byAuthor'),
    );
    const without = new DataSourceRole(template.replace('- dynamodb:GetItem', ''));
    expect(() => without.authorize('GetItem', item)).toThrow(denied('GetItem', ''));
  });

  test('must exist', () => {
    expect(() => new DataSourceRole(template.replace('  DataSourceRole:', '  Other:'))).toThrow();
  });
});

test('a request with a key of the wrong form is an error of DynamoDB', async () => {
  expect(await get('')).toMatchObject({ result: null, error: { type: 'DynamoDB:ValidationException' } });
});

test('a request that the local cloud does not support throws', async () => {
  await expect(execute({ operation: 'Scan' })).rejects.toThrow(/operation/);
  await expect(query({ filter: 'author' })).rejects.toThrow(/filter/);
});

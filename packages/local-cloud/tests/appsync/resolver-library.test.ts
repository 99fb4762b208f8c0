import { describe, expect, test } from 'vitest';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { toItem } from '../../src/appsync/attribute-values.ts';
import { createDynamoDbDataSource } from '../../src/appsync/dynamodb-data-source.ts';
import { createResolverLibrary } from '../../src/appsync/resolver-library.ts';
import { openDynamoDb } from '../../src/dynamodb/dynamodb.ts';
import { readInfra } from '../../src/infra/infra.ts';
import { readJson, signUpMember, tokenSender } from '../support/graphql-requests.ts';
import { createInfra, siteInfra } from '../support/infra.ts';

const NOW = Date.parse('2026-11-21T10:00:00.500Z');
const { util } = createResolverLibrary({
  clock: () => NOW,
  mode: 'userPool',
  info: { parentTypeName: 'Query', fieldName: 'test', variables: {} },
  appendError() {},
});

test('times are those of the local cloud', () => {
  const { time } = util;
  expect([time.nowISO8601(), time.nowEpochMilliSeconds(), time.nowEpochSeconds()]).toEqual([
    '2026-11-21T10:00:00.500Z',
    NOW,
    (NOW - 500) / 1000,
  ]);
  expect(time.parseISO8601ToEpochMilliSeconds('2026-11-21T11:00:00.500+01:00')).toBe(NOW);
  expect(time.epochMilliSecondsToSeconds(1_999)).toBe(1);
  expect(time.epochMilliSecondsToISO8601(NOW)).toBe('2026-11-21T10:00:00.500Z');
});

test('ids are random and have their standard forms, which sort by time', () => {
  expect(util.autoId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(util.autoUlid()).toMatch(/^01M7YRRTQM[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(util.autoKsuid()).toMatch(/^[0-9A-Za-z]{27}$/);
  expect(util.autoKsuid()).not.toBe(util.autoKsuid());
});

test('texts are encoded and decoded as Java does', () => {
  expect(util.base64Encode('é🎈')).toBe('w6nwn46I');
  expect(util.base64Decode('w6nwn46I')).toBe('é🎈');
  expect(util.urlEncode('a b&c=d/é*~')).toBe('a+b%26c%3Dd%2F%C3%A9*%7E');
  expect(util.urlDecode('a+b%26c%3Dd%2F%C3%A9*%7E&=')).toBe('a b&c=d/é*~&=');
  expect(util.str.normalize('ﬁ', 'nfkd')).toBe('fi');
});

test('values have the types of DynamoDB', () => {
  const { dynamodb } = util;
  expect(dynamodb.toMapValues({ text: 'a', of: [1, true, null] })).toEqual({
    text: { S: 'a' },
    of: { L: [{ N: '1' }, { BOOL: true }, { NULL: true }] },
  });
  expect([dynamodb.toStringSet(['a']), dynamodb.toNumberSet([1]), dynamodb.toBinary('YQ==')]).toEqual([
    { SS: ['a'] },
    { NS: [1] },
    { B: 'YQ==' },
  ]);
  expect(dynamodb.toString(null)).toBeNull();
});

test('sets and binary values are stored, and read as arrays and texts', async () => {
  const dynamoDb = openDynamoDb(null, readInfra(siteInfra).table, Date.now);
  const execute = createDynamoDbDataSource(dynamoDb.call);
  const { dynamodb } = util;
  const key = dynamodb.toMapValues({ feed: 'f', id: '1' });
  await execute({
    operation: 'PutItem',
    key,
    attributeValues: {
      tags: dynamodb.toStringSet(['a', 'b']),
      counts: dynamodb.toNumberSet([1, 2]),
      bytes: dynamodb.toBinary('YQ=='),
      none: dynamodb.toNull(),
    },
  });
  expect((await execute({ operation: 'GetItem', key })).result).toEqual({
    feed: 'f',
    id: '1',
    tags: ['a', 'b'],
    counts: [1, 2],
    bytes: 'YQ==',
    none: null,
  });
  await dynamoDb.close();
});

describe('a filter', () => {
  test('is an expression of DynamoDB as JSON', () => {
    const { transform } = util;
    expect(JSON.parse(transform.toDynamoDBFilterExpression({ title: { contains: 'Hello' } }))).toEqual({
      expression: 'contains(#title, :title_contains_0)',
      expressionNames: { '#title': 'title' },
      expressionValues: { ':title_contains_0': { S: 'Hello' } },
    });
    expect(() => transform.toDynamoDBFilterExpression({ title: { like: 'a' } })).toThrow(
      'The local cloud does not support the operator like of title.',
    );
  });

  const filters: [filter: object, ids: string][] = [
    [{ n: { ge: 2, lt: 4 } }, '23'],
    [{ n: { between: [2, 3] } }, '23'],
    [{ n: { in: [1, 4] } }, '14'],
    [{ n: { ne: 1 }, text: { beginsWith: 'b' } }, '2'],
    [{ or: [{ n: { eq: 1 } }, { text: { notContains: 'a' } }], n: { le: 2 } }, '12'],
    [{ not: { or: [{ n: { eq: 1 } }, { n: { eq: 2 } }] } }, '34'],
    [{ and: [{ text: { attributeExists: true } }, { n: { gt: 1 } }] }, '2'],
    [{ text: { attributeExists: false } }, '34'],
  ];

  test('finds what it describes', async () => {
    const dynamoDb = openDynamoDb(null, readInfra(siteInfra).table, Date.now);
    const execute = createDynamoDbDataSource(dynamoDb.call);
    const items = [{ n: 1, text: 'ab' }, { n: 2, text: 'b' }, { n: 3 }, { n: 4 }].map((values) =>
      toItem({ feed: 'f', id: String(values.n), ...values }),
    );
    await execute({ operation: 'BatchPutItem', tables: { messages: items } });
    for (const [filter, ids] of filters) {
      const expression = util.transform.toDynamoDBFilterExpression(filter);
      const { result } = await execute({
        operation: 'Query',
        query: util.transform.toDynamoDBConditionExpression({ feed: { eq: 'f' } }),
        filter: expression,
      });
      const found = (result as { items: { id: string }[] }).items.map(({ id }) => id).join('');
      expect(found, expression).toBe(ids);
    }
    await dynamoDb.close();
  });
});

describe('a resolver', () => {
  const IMPORT = "import { runtime, util } from '@aws-appsync/utils';\n";
  const RESULT = 'export function response(ctx) { return ctx.result; }\n';

  /** A function that runs this in its request. */
  const skipping = (statement: string) =>
    `${IMPORT}export function request(ctx) { ${statement}; }\nexport function response() { return 'not skipped'; }\n`;

  /** Starts a local cloud with these files, and returns what a member gets for the query. */
  async function resultOf(
    resolvers: Record<string, string>,
    query = '{ test }',
    schema?: string,
  ): Promise<unknown> {
    const infra = createInfra({ resolvers, ...(schema && { schema }) });
    const cloud = await startLocalCloud({ infra, clock: () => NOW });
    try {
      const { accessToken } = await signUpMember({ cloud, now: NOW });
      return await readJson(tokenSender(cloud, accessToken)({ query }));
    } finally {
      await cloud.close();
    }
  }

  test('appends errors to its result', async () => {
    const pipeline = `${IMPORT}
export function request() { util.appendError('Late', 'Warning', { n: 1 }, { at: 2 }); return {}; }
export function response() { return util.authType(); }`;
    expect(
      await resultOf({ 'Query.test.js': pipeline, 'Query.test.1.js': skipping('runtime.earlyReturn(null)') }),
    ).toEqual({
      data: { test: 'User Pool Authorization' },
      errors: [
        {
          path: ['test'],
          data: { n: 1 },
          errorType: 'Warning',
          errorInfo: { at: 2 },
          locations: [{ line: 1, column: 3, sourceName: null }],
          message: 'Late',
        },
      ],
    });
  });

  test('of a field of an object gets the object, and the variables of the template', async () => {
    const main = `${IMPORT}export function request() { return {}; }\nexport function response() { return { n: 1 }; }\n`;
    const nested = `${IMPORT}export function request() { return {}; }
export function response(ctx) { return [ctx.source.n, ctx.env.MESSAGES_TABLE].join(); }\n`;
    const skip = skipping('runtime.earlyReturn()');
    const result = await resultOf(
      { 'Query.test.js': main, 'Query.test.1.js': skip, 'Thing.of.js': nested, 'Thing.of.1.js': skip },
      '{ test { of } }',
      'type Query { test: Thing } type Thing { of: String }',
    );
    expect(result).toEqual({ data: { test: { of: '1,messages' } } });
  });

  test.each([
    ['a function', 'return {};', "runtime.earlyReturn('first')", 'first, then second'],
    ['the rest of the pipeline', 'return {};', "runtime.earlyReturn('first', { skipTo: 'END' })", 'first'],
    ['the pipeline', "runtime.earlyReturn('none');", 'return {}', 'none'],
  ])('returns early and skips %s', async (_, main, first, expected) => {
    const result = await resultOf({
      'Query.test.js': `${IMPORT}export function request() { ${main} }\n${RESULT}`,
      'Query.test.1.js': skipping(first),
      'Query.test.2.js': skipping("runtime.earlyReturn(ctx.prev.result + ', then second')"),
    });
    expect(result).toEqual({ data: { test: expected } });
  });
});

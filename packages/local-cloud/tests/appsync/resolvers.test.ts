/** What tests through the data API cannot show. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FieldCall } from '../../src/appsync/api-schema.ts';
import { createDynamoDbDataSource } from '../../src/appsync/dynamodb-data-source.ts';
import type { ResolverContext } from '../../src/appsync/resolver-context.ts';
import { compileResolver } from '../../src/appsync/resolver-file.ts';
import { createResolverLibrary } from '../../src/appsync/resolver-library.ts';
import { loadResolvers } from '../../src/appsync/resolvers.ts';
import { openDynamoDb } from '../../src/dynamodb/dynamodb.ts';
import { AwsError } from '../../src/http/aws-json.ts';
import { readInfra } from '../../src/infra/infra.ts';
import { siteInfra } from '../support/infra.ts';

const codeOf = (field: string) => {
  const source = siteInfra.resolvers.find(({ fieldName }) => fieldName === field);
  if (!source) throw new Error(`There is no resolver of ${field}.`);
  return source.resolver;
};
const example = compileResolver(codeOf('createMessage'));
const resolverLibrary = createResolverLibrary({
  clock: () => 0,
  mode: 'userPool',
  info: { parentTypeName: 'Mutation', fieldName: 'createMessage', variables: {} },
  appendError() {},
});
const { request, response } = example(resolverLibrary);
const infra = readInfra(siteInfra);

describe('the pseudonym of an author', () => {
  const pseudonymOf = (author: string) => {
    const context = {
      args: {},
      identity: null,
      stash: {},
      result: { id: '', content: '', createdAt: '', author },
    };
    // Only these parts of the context are used.
    return (response(context as unknown as ResolverContext) as { author: string }).author;
  };

  it('is always the same one for a user', () => {
    expect(pseudonymOf('6f9c1d2e-0000-4000-8000-000000000001')).toBe('E805');
  });

  it('is four characters of base 32, of which every one occurs in every place, and differs for almost all users', () => {
    const pseudonyms = Array.from({ length: 2000 }, () => pseudonymOf(randomUUID()));
    for (const pseudonym of pseudonyms) expect(pseudonym).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}$/);
    // By the birthday problem two of 2,000 values of 20 bits are equal about twice.
    expect(new Set(pseudonyms).size).toBeGreaterThan(1980);
    for (const place of [0, 1, 2, 3]) {
      expect(new Set(pseudonyms.map((pseudonym) => pseudonym.charAt(place))).size).toBe(32);
    }
  });
});

describe('the caller', () => {
  const sub = '6f9c1d2e-0000-4000-8000-000000000001';
  const pool = 'cognito-idp.us-east-1.amazonaws.com/us-east-1_a';
  const authorFor = (identity: unknown) => {
    const context = { args: { content: 'Hello' }, identity, stash: {} };
    // Only these parts of the context are used.
    const put = request(context as unknown as ResolverContext) as { attributeValues: { author: unknown } };
    return put.attributeValues.author;
  };

  it.each([
    ['a token of the user pool', { sub }],
    [
      'a signature, with the provider in quotation marks',
      { cognitoIdentityAuthProvider: `"${pool}","${pool}:CognitoSignIn:${sub}"` },
    ],
    [
      'a signature, with the provider without quotation marks',
      { cognitoIdentityAuthProvider: `${pool},${pool}:CognitoSignIn:${sub}` },
    ],
  ])('is read from %s', (_, identity) => {
    expect(authorFor(identity)).toEqual({ S: sub });
  });

  it.each([
    ['a guest', { cognitoIdentityAuthType: 'unauthenticated', cognitoIdentityAuthProvider: null }],
    ['an IAM role outside of Cognito', { userArn: 'arn:aws:iam::123456789012:role/other' }],
    ['no identity', null],
  ])('is not authorized with %s', (_, identity) => {
    expect(() => authorFor(identity)).toThrow('Not Authorized to access createMessage on type Mutation');
  });
});

describe('the list of messages', () => {
  const clock = () => Date.parse('2026-11-21T10:00:00Z');
  // The parts of a call that the resolvers read.
  const call = {
    caller: { mode: 'userPool', identity: { sub: 'ann' }, headers: {} },
    info: { parentTypeName: 'Query', fieldName: 'listMessages', variables: {} },
  } as unknown as FieldCall;

  /** Lists with a table whose reads DynamoDB rejects with this message. */
  async function listWith(message: string): Promise<unknown> {
    const dynamoDb = openDynamoDb(null, infra.table, clock);
    const rejectingCall: typeof dynamoDb.call = async (operation, input) => {
      if (operation === 'Query' && input.IndexName === undefined)
        throw new AwsError('DynamoDbException', message);
      return dynamoDb.call(operation, input);
    };
    const resolvers = loadResolvers(infra, createDynamoDbDataSource(rejectingCall), clock);
    try {
      await resolvers.Mutation?.createMessage?.({ content: 'Hello' }, call);
      return await resolvers.Query?.listMessages?.({ limit: 1 }, call);
    } finally {
      await dynamoDb.close();
    }
  }

  it.each([
    'The level of configured provisioned throughput for the table was exceeded.',
    'Throughput exceeds the current capacity of your table or index.',
  ])('comes from the index when the partition of the table is too busy: %s', async (message) => {
    expect(await listWith(message)).toMatchObject({
      items: [{ content: 'Hello', mine: true }],
      nextToken: null,
    });
  });

  it('fails with the error of DynamoDB for any other reason', async () => {
    await expect(listWith('The table is being deleted.')).rejects.toMatchObject({
      errorType: 'DynamoDB:DynamoDbException',
    });
  });
});

it('never replaces a message that has the same id', async () => {
  const util = { ...resolverLibrary.util, autoUlid: () => '01M7YRRT800000000000000000' };
  const { request, response } = example({ ...resolverLibrary, util });
  const dynamoDb = openDynamoDb(null, infra.table, Date.now);
  const execute = createDynamoDbDataSource(dynamoDb.call);
  const post = async (content: string) => {
    // Only these parts of the context are used.
    const context = { args: { content }, identity: { sub: 'ann' }, stash: {} } as unknown as ResolverContext;
    return response({ ...context, ...(await execute(request(context))) });
  };
  expect(await post('first')).toMatchObject({ content: 'first' });
  await expect(post('second')).rejects.toMatchObject({
    errorType: 'DynamoDB:ConditionalCheckFailedException',
  });
  await dynamoDb.close();
});

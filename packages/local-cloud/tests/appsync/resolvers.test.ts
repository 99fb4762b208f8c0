/** What tests through the data API cannot show. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../appsync/api-schema.ts';
import { createDynamoDbDataSource } from '../../appsync/dynamodb-data-source.ts';
import type { ResolverContext } from '../../appsync/resolver-context.ts';
import { compileResolver } from '../../appsync/resolver-file.ts';
import { createResolverUtil } from '../../appsync/resolver-util.ts';
import { loadResolvers } from '../../appsync/resolvers.ts';
import { openDynamoDb } from '../../dynamodb/dynamodb.ts';
import { AwsError } from '../../http/aws-json.ts';

const FOLDER = 'infra/resolvers';
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.js'));
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const example = read('Mutation.createMessage.js');
const util = createResolverUtil({ parentTypeName: 'Mutation', fieldName: 'createMessage' }, () => 0);
const { request, response } = compileResolver(example, 'Mutation.createMessage.js', util);

it.each(['callerSub', 'pseudonymOf'])('contain the same function %s', (name) => {
  const source = new RegExp(`^function ${name}[\\s\\S]*?^}$`, 'm');
  const functions = files.flatMap((file) => read(file).match(source) ?? []);
  expect(functions.length).toBeGreaterThan(1);
  expect(new Set(functions).size).toBe(1);
});

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
  const sub = 'ann';
  const clock = () => Date.parse('2026-11-21T10:00:00Z');
  // The parts of a caller that the resolvers read.
  const caller = { mode: 'userPool', sub, identity: { sub }, headers: {} } as unknown as Caller;
  const info = { parentTypeName: 'Query', fieldName: 'listMessages', variables: {} };

  /** Lists with a table whose reads DynamoDB rejects with this message. */
  async function listWith(message: string): Promise<unknown> {
    const dynamoDb = await openDynamoDb(null);
    const call: typeof dynamoDb.call = async (operation, input) => {
      if (operation === 'Query' && !('IndexName' in input)) throw new AwsError('DynamoDbException', message);
      return dynamoDb.call(operation, input);
    };
    const resolvers = loadResolvers(createDynamoDbDataSource(call), clock);
    try {
      await resolvers.Mutation?.createMessage?.({ content: 'Hello' }, caller, {
        ...info,
        fieldName: 'createMessage',
      });
      return await resolvers.Query?.listMessages?.({ limit: 1 }, caller, info);
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
  const withSameId = { ...util, autoUlid: () => '01M7YRRT800000000000000000' };
  const { request, response } = compileResolver(example, 'Mutation.createMessage.js', withSameId);
  const dynamoDb = await openDynamoDb(null);
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

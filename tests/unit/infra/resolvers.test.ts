/** The language of the resolvers, which is a part of JavaScript, and what tests through the data API cannot show. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { createDynamoDbDataSource } from '../../../local-cloud/appsync/dynamodb-data-source.ts';
import type { ResolverContext } from '../../../local-cloud/appsync/resolver-context.ts';
import { compileResolver } from '../../../local-cloud/appsync/resolver-file.ts';
import { createResolverUtil } from '../../../local-cloud/appsync/resolver-util.ts';
import { openDynamoDb } from '../../../local-cloud/dynamodb/dynamodb.ts';

const FOLDER = 'infra/resolvers';
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.js'));
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const example = read('Mutation.createMessage.js');

describe('the lint rules for resolvers', () => {
  const eslint = new ESLint();

  it('accept every resolver', async () => {
    const results = await eslint.lintFiles([FOLDER]);
    expect(results.map(({ filePath }) => filePath.split('/').at(-1))).toEqual(files);
    expect(results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it.each([
    ['a regular expression', 'const isEmpty = /^$/;', 'no-regex'],
    ['a for loop', 'for (let i = 0; i < 2; i += 1) util.autoUlid();', 'no-for'],
    ['try', 'try { util.autoUlid(); } catch {}', 'no-try'],
    ['a method that AppSync does not have', 'const pair = "ab".repeat(2);', 'no-disallowed-methods'],
  ])('reject %s', async (_, statement, rule) => {
    const source = example.replace('const author =', `${statement}\n  const author =`);
    const [result] = await eslint.lintText(source, { filePath: join(FOLDER, 'Mutation.createMessage.js') });
    expect(result?.messages.map(({ ruleId }) => ruleId)).toContain(`@aws-appsync/${rule}`);
  });
});

describe('the types of AppSync', () => {
  it('declare everything that the resolvers use', () => {
    expect(typeErrors()).toEqual([]);
  });

  it('reject a function that util does not have', () => {
    const changed = example.replace('util.autoUlid()', 'util.autoUuid()');
    expect(typeErrors({ 'Mutation.createMessage.js': changed })).toEqual([
      expect.stringContaining("'autoUuid' does not exist"),
    ]);
  });
});

it('contain the same function that reads the caller', () => {
  const functions = files.flatMap((file) => read(file).match(/^function callerSub[\s\S]*?^}$/m) ?? []);
  expect(functions.length).toBeGreaterThan(1);
  expect(new Set(functions).size).toBe(1);
});

describe('the caller', () => {
  const sub = '6f9c1d2e-0000-4000-8000-000000000001';
  const pool = 'cognito-idp.us-east-1.amazonaws.com/us-east-1_a';
  const util = createResolverUtil({ parentTypeName: 'Mutation', fieldName: 'createMessage' }, () => 0);
  const { request } = compileResolver(example, 'Mutation.createMessage.js', util);
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

it('never replaces a message that has the same id', async () => {
  const field = { parentTypeName: 'Mutation', fieldName: 'createMessage' };
  const util = { ...createResolverUtil(field, () => 0), autoUlid: () => '01M7YRRT800000000000000000' };
  const { request, response } = compileResolver(example, 'Mutation.createMessage.js', util);
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

/** Returns the messages of TypeScript for the resolvers, some of which may be replaced. */
function typeErrors(replaced: Record<string, string> = {}): string[] {
  const configFile = join(FOLDER, 'tsconfig.json');
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (path) => replaced[path.split('/').at(-1) ?? ''] ?? readFile(path);
  const program = ts.createProgram(fileNames, options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

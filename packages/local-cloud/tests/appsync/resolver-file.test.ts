import { expect, test } from 'vitest';
import { iamIdentity, type ResolverContext } from '../../appsync/resolver-context.ts';
import { compileResolver } from '../../appsync/resolver-file.ts';
import { createResolverUtil } from '../../appsync/resolver-util.ts';

const util = createResolverUtil({ parentTypeName: 'Query', fieldName: 'test' }, () => 0);
const compile = (source: string) => compileResolver(source, 'Query.test.js', util);

const RESPONSE = 'export function response(ctx) { return ctx.result; }';

const context: ResolverContext = {
  arguments: {},
  args: {},
  identity: iamIdentity(
    { accessKeyId: 'ASIA', identityId: 'us-east-1:1', sub: null },
    { identityPoolId: 'us-east-1:2', providerName: 'pool' },
  ),
  stash: {},
  prev: null,
  source: null,
  env: { MESSAGES_TABLE: 'messages' },
  info: { parentTypeName: 'Query', fieldName: 'test', variables: {} },
  request: { headers: {}, domainName: null },
};

test('a resolver uses util and the context', () => {
  const source = `import { util } from '@aws-appsync/utils';
    export function request(ctx) { return util.dynamodb.toMapValues({ field: ctx.info.fieldName }); }
    ${RESPONSE}`;
  const { request, response } = compile(source.replace(/^ +/gm, ''));
  expect(request(context)).toEqual({ field: { S: 'test' } });
  expect(response({ ...context, result: 1 })).toBe(1);
});

test.each(['process', 'require', 'fetch', 'setTimeout', 'global'])(
  'a resolver has no access to %s of Node',
  (name) => {
    const { request } = compile(`export function request() { return typeof ${name}; }\n${RESPONSE}`);
    expect(request(context)).toBe('undefined');
  },
);

test('a resolver cannot import anything but runtime and util', () => {
  const source = `import fs from 'node:fs';\nexport function request() {}\n${RESPONSE}`;
  expect(() => compile(source)).toThrow('Query.test.js may import only runtime and util');
});

test('a resolver must export its two functions', () => {
  expect(() => compile(RESPONSE)).toThrow('Query.test.js must export the functions request and response.');
});

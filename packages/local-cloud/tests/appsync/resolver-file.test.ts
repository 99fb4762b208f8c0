import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { ResolverContext } from '../../src/appsync/resolver-context.ts';
import { compileResolver, type ResolverFunctions } from '../../src/appsync/resolver-file.ts';
import { createResolverLibrary } from '../../src/appsync/resolver-library.ts';
import type { ResolverCode } from '../../src/infra/infra-source.ts';
import { createInfra } from '../support/infra.ts';

const library = createResolverLibrary({
  clock: () => 0,
  mode: 'iam',
  info: { parentTypeName: 'Query', fieldName: 'test', variables: {} },
  appendError() {},
});
const FILE = 'Query.test.js';
const IMPORT = "import { util } from '@aws-appsync/utils';\n";
const RESPONSE = 'export function response(ctx) { return ctx.result; }\n';

/** The code of `Query.test.js` beside other files. */
function codeOf(resolvers: Record<string, string>): ResolverCode {
  const [source] = createInfra({ resolvers }).resolvers;
  if (!source) throw new Error(`There is no file ${FILE}.`);
  return source.resolver;
}

/** Compiles `Query.test.js` beside other files. */
function compile(source: string, others: Record<string, string> = {}): ResolverFunctions {
  return compileResolver(codeOf({ [FILE]: source, ...others }))(library);
}

// Only these parts of the context are used.
const context = { identity: { sub: 'ann' }, result: 1 } as unknown as ResolverContext;

test('a resolver uses util and the context', () => {
  const { request, response } = compile(
    `${IMPORT}export function request(ctx) { return util.dynamodb.toMapValues(ctx.identity); }\n${RESPONSE}`,
  );
  expect(request(context)).toEqual({ sub: { S: 'ann' } });
  expect(response(context)).toBe(1);
});

test('resolvers share modules', () => {
  const caller = `${IMPORT}export function callerOf(ctx) { return ctx.identity?.sub ?? util.unauthorized(); }\n`;
  const { request, response } = compile(
    `import { util } from '@aws-appsync/utils';
import { callerOf } from './caller.js';
export function request(ctx) { return util.dynamodb.toMapValues({ author: callerOf(ctx) }); }
${RESPONSE}`,
    { 'caller.js': caller },
  );
  expect(request(context)).toEqual({ author: { S: 'ann' } });
  expect(() => request({ ...context, identity: null } as unknown as ResolverContext)).toThrow(
    'Not Authorized to access test on type Query',
  );
  expect(response(context)).toBe(1);
});

test.each(['process', 'require', 'fetch', 'setTimeout', 'global'])(
  'a resolver has no access to %s of Node',
  (name) => {
    const { request } = compile(`export function request() { return typeof ${name}; }\n${RESPONSE}`);
    expect(request(context)).toBe('undefined');
  },
);

test('a resolver must export its two functions', () => {
  expect(() => compile(RESPONSE)).toThrow(
    /Query\.test\.js must export the functions request and response\.$/,
  );
});

test('what the local cloud lacks is named with file and line, also in a module', () => {
  const code = codeOf({
    [FILE]: `import * as ddb from '@aws-appsync/utils/dynamodb';
import { later } from './later.js';
export function request() { return { operation: 'Sync', lastSync: later(ddb) }; }
export function response(ctx) { return ctx.info.selectionSetList; }
`,
    // A comment may name util.xml.toMap.
    'later.js': `${IMPORT}// Not util.xml.toMap, but
export const later = () => util.time.nowFormatted('yyyy');
`,
  });
  const path = (file: string) => relative('', join(code.path, '..', file));
  expect(() => compileResolver(code)).toThrow(
    [
      'The local cloud does not support this:',
      `${path('later.js')}:3: util.time.nowFormatted`,
      `${path(FILE)}:1: from '@aws-appsync/utils/dynamodb'`,
      `${path(FILE)}:3: operation: 'Sync'`,
      `${path(FILE)}:4: selectionSetList`,
    ].join('\n'),
  );
});

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { LIST_MESSAGES } from '../../../../app/graphql/messages.graphql.generated.ts';
import { bounds, measureCost } from '../../../../app/server/graphql-proxy/operation-bounds.ts';
import { checkOperation } from '../../../../app/server/graphql-proxy/operation-check.ts';
import { loadShippedDocuments } from '../../../../app/server/graphql-proxy/shipped-documents.ts';
import {
  createTrustedDocuments,
  documentHash,
} from '../../../../app/server/graphql-proxy/trusted-documents.ts';

const source = readFileSync(new URL('../../../../app/graphql/messages.graphql', import.meta.url), 'utf8');

const checkAny = (request: unknown) => checkOperation(JSON.stringify(request), { trusted: null });
const checkTrusted = (request: unknown) =>
  checkOperation(JSON.stringify(request), { trusted: createTrustedDocuments([source]) });

const codeOf = (result: ReturnType<typeof checkOperation>) =>
  'rejection' in result ? `${result.rejection.status} ${result.rejection.code}` : 'passed';

/** Returns `levels` nested selections. */
const nested = (levels: number) => `${'{a'.repeat(levels)}${'}'.repeat(levels)}`;

/** Returns fragments that each spread the next one twice: 2^count fields in a short document. */
const doubling = (count: number) =>
  `{...F0} ${Array.from({ length: count }, (_, i) => `fragment F${i} on Query{...F${i + 1} ...F${i + 1}}`).join(' ')} fragment F${count} on Query{a}`;

/** A request whose variables are nested in `levels` levels. */
const variablesOf = (levels: number) =>
  `{"query":"{a}","variables":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;

/** A request of `count` values: itself, the query, the variables, a list, and what that contains. */
const bodyOf = (count: number) =>
  JSON.stringify({ query: '{a}', variables: { list: Array(count - 4).fill(0) } });

describe('a request body', () => {
  it.each([
    ['is empty', '', '400 MalformedJson'],
    ['is a string', '"{a}"', '400 MalformedRequest'],
    ['is null', 'null', '400 MalformedRequest'],
    ['is a list of requests', '[{"query":"{a}"},{"query":"{b}"}]', '400 BatchingNotSupported'],
    ['has a query that is not a string', '{"query":{"a":1}}', '400 MalformedRequest'],
    ['has variables that are a list', '{"query":"{a}","variables":[1]}', '400 MalformedRequest'],
    ['has variables that are a string', '{"query":"{a}","variables":"{}"}', '400 MalformedRequest'],
    ['has an operation name that is a number', '{"query":"{a}","operationName":1}', '400 MalformedRequest'],
    ['has variables of the maximum depth', variablesOf(20), 'passed'],
    [
      'has extremely nested variables',
      `{"query":"{a}","variables":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      '400 MalformedRequest',
    ],
    ['has 10,000 values', bodyOf(10_000), 'passed'],
    [
      'has more commas than that in a string',
      JSON.stringify({ query: `{a(b:"${','.repeat(10_001)}")}` }),
      'passed',
    ],
    ['has a query of 16,384 characters', JSON.stringify({ query: '{a}'.padEnd(16_384) }), 'passed'],
  ])('that %s is checked', (_what, body, expected) => {
    expect(codeOf(checkOperation(body, { trusted: null }))).toBe(expected);
  });

  it.each(['0'.repeat(63), '0'.repeat(65), `x${'0'.repeat(64)}`, 'g'.repeat(64), ''])(
    'that names an operation by the invalid hash “%s” is rejected',
    (hash) => {
      for (const named of [
        { documentId: `sha256:${hash}` },
        { extensions: { persistedQuery: { sha256Hash: hash } } },
      ]) {
        expect(codeOf(checkTrusted(named))).toBe('400 MalformedRequest');
      }
    },
  );

  it.each([`x-sha256:${'0'.repeat(64)}`, `md5:${'0'.repeat(64)}`, '0'.repeat(64)])(
    'that names an operation by the invalid document id “%s” is rejected',
    (documentId) => expect(codeOf(checkTrusted({ documentId }))).toBe('400 MalformedRequest'),
  );

  it.each([
    ['no variables', {}],
    ['null for everything that is optional', { variables: null, operationName: null, extensions: null }],
    ['extensions of another kind', { extensions: { tracing: true } }],
  ])('may have %s', (_what, more) => {
    expect(checkAny({ query: '{a}', ...more })).toEqual({
      operation: { query: '{a}', variables: {}, operationName: null, kind: 'query' },
    });
  });

  it('may have null among its variables', () => {
    const variables = { a: null, b: [null, 0, ''] };
    expect(checkAny({ query: '{a}', variables })).toMatchObject({ operation: { variables } });
  });

  // threat-model: T-045
  it('is rebuilt from the checked parts without unknown members', () => {
    const result = checkAny({
      query: 'query Q($a:Int){b(a:$a)}',
      variables: { a: 1 },
      operationName: 'Q',
      endpoint: 'https://example.com',
      extensions: { trace: true },
    });
    expect(result).toEqual({
      operation: {
        query: 'query Q($a:Int){b(a:$a)}',
        variables: { a: 1 },
        operationName: 'Q',
        kind: 'query',
      },
    });
  });

  it('cannot change a prototype through its variables', () => {
    const result = checkOperation('{"query":"{a}","variables":{"__proto__":{"polluted":true},"a":1}}', {
      trusted: null,
    });
    expect('operation' in result && Object.getPrototypeOf(result.operation.variables)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
});

describe('a document when all operations are allowed', () => {
  // threat-model: T-044, T-090
  it.each([
    ['of a query', '{a}', 'passed'],
    ['of a mutation', 'mutation{a}', 'passed'],
    ['with __typename', '{a{__typename}}', 'passed'],
    ['that does not parse at the name “tokens”', '{a} tokens', '400 MalformedDocument'],
    ['without an operation', 'fragment F on A{a}', '400 OperationNotFound'],
    ['that requests a type', '{__type(name:"A"){name}}', '403 IntrospectionNotAllowed'],
    ['that hides introspection behind an alias', '{a:__schema{types{name}}}', '403 IntrospectionNotAllowed'],
    [
      'that hides introspection in a fragment',
      '{...F} fragment F on Query{... on Query{__schema{types{name}}}}',
      '403 IntrospectionNotAllowed',
    ],
    ['of the maximum depth', nested(bounds.depth), 'passed'],
    [
      'that is too deep because of fragments',
      `{...F} fragment F on A${nested(6).replace('{a}', '{...G}')} fragment G on A${nested(6)}`,
      '400 DocumentTooComplex',
    ],
    ['with the maximum number of aliases', aliases(bounds.aliases), 'passed'],
    [
      'with as many inline fragments inside each other',
      `${'{...'.repeat(10)}{a}${'}'.repeat(10)}`,
      '400 DocumentTooComplex',
    ],
    ['with directives on an operation', `query Q ${'@a'.repeat(21)}{a}`, '400 DocumentTooComplex'],
    ['with directives on a variable', `query Q($v:Int ${'@a'.repeat(21)}){a}`, '400 DocumentTooComplex'],
    // Printing would indent each line of the text as deep as it is nested.
    [
      'with 500,000 lines in a nested text',
      `${'{a'.repeat(325)}(b:"""€${'\n'.repeat(500_000)}""")${'}'.repeat(325)}`,
      '400 DocumentTooComplex',
    ],
    ['with 1 MB of braces', '{a'.repeat(500_000), '400 DocumentTooComplex'],
    ['with a few fields repeated by fragments', doubling(8), 'passed'],
    ['with 2^60 fields because of fragments', doubling(60), '400 DocumentTooComplex'],
    [
      'whose fragments form a cycle',
      '{...F} fragment F on A{b{...G}} fragment G on A{...on A{...F}}',
      '400 MalformedDocument',
    ],
    [
      'with two fragments of the same name',
      '{...F} fragment F on A{a} fragment F on A{__schema{a}}',
      '400 MalformedDocument',
    ],
  ])('%s is checked', (_what, query, expected) => {
    expect(codeOf(checkAny({ query }))).toBe(expected);
  });

  it('loses the fragments that its operation does not use', () => {
    for (const [query, expected] of [
      ['{a ...F} fragment F on A{b} fragment G on A{c}', '{a ...F}fragment F on A{b}'],
      ['query A{a} fragment G on A{c}', 'query A{a}'],
    ]) {
      expect(checkAny({ query })).toMatchObject({ operation: { query: expected } });
    }
  });

  it('may use a fragment several times, also in another fragment', () => {
    const query = '{...F ...G ...F}fragment F on A{b}fragment G on A{...F}';
    expect(checkAny({ query })).toMatchObject({ operation: { query } });
  });

  const several = 'query A{a} mutation B{b ...F} query C{c} fragment F on Mutation{f}';

  it.each([
    ['another name is given', { query: several, operationName: 'D' }, '400 OperationNotFound'],
    [
      'two have the same name',
      { query: '{a} query A{a} query A{b}', operationName: 'A' },
      '400 MalformedDocument',
    ],
    ['one has no name', { query: '{a} query A{a}', operationName: 'A' }, 'passed'],
    [
      'the name is that of a subscription',
      { query: 'query A{a} subscription B{b}', operationName: 'B' },
      '400 SubscriptionNotSupported',
    ],
  ])('with several operations is checked: %s', (_what, request, expected) => {
    expect(codeOf(checkAny(request))).toBe(expected);
  });

  // threat-model: T-045
  it('with several operations is reduced to the named one', () => {
    expect(checkAny({ query: several, operationName: 'B' })).toEqual({
      operation: {
        query: 'mutation B{b ...F}fragment F on Mutation{f}',
        operationName: 'B',
        kind: 'mutation',
        variables: {},
      },
    });
  });
});

function aliases(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `x${index}:a`).join(' ')}}`;
}

describe('the message of a rejection', () => {
  const any = (query: string, operationName?: string) => checkAny({ query, operationName });

  const rejections: [check: () => unknown, status: number, code: string, message: string][] = [
    [() => checkOperation('{', { trusted: null }), 400, 'MalformedJson', 'The body is not JSON.'],
    [
      () => checkAny([]),
      400,
      'BatchingNotSupported',
      'Batches are not supported: send one operation per request.',
    ],
    [() => checkAny(1), 400, 'MalformedRequest', 'The body is not a GraphQL request.'],
    [
      () => checkOperation(variablesOf(21), { trusted: null }),
      400,
      'MalformedRequest',
      'Variables may be nested at most 20 levels deep.',
    ],
    [
      () => checkOperation(bodyOf(10_001), { trusted: null }),
      400,
      'MalformedRequest',
      'The body may have at most 10000 values.',
    ],
    [
      () => checkAny({ ignored: Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [key, []])) }),
      400,
      'MalformedRequest',
      'The body may have at most 10000 values.',
    ],
    [() => checkAny({}), 400, 'MalformedRequest', 'The request has no query.'],
    [() => any('{'), 400, 'MalformedDocument', 'Unable to parse GraphQL query.'],
    [
      () => any('{a} type A{a:Int}'),
      400,
      'MalformedDocument',
      'Only operations and fragments are executable.',
    ],
    [() => any('{a} {b}'), 400, 'MalformedDocument', 'Two definitions have the same name.'],
    [() => any('{...F}'), 400, 'MalformedDocument', 'A fragment is missing.'],
    [() => any('{...F} fragment F on A{...F}'), 400, 'MalformedDocument', 'A fragment includes itself.'],
    [
      () => any('query A{a} query B{b}'),
      400,
      'OperationNotFound',
      'operationName must name one operation of the document.',
    ],
    [() => any('subscription{a}'), 400, 'SubscriptionNotSupported', 'Subscriptions are not supported.'],
    [() => any('{__schema{x}}'), 403, 'IntrospectionNotAllowed', 'Introspection is not allowed.'],
    [() => any(`{${'a '.repeat(1000)}}`), 400, 'DocumentTooComplex', 'The limit for tokens is 1000.'],
    [() => any(`#${'x'.repeat(16_384)}`), 400, 'DocumentTooComplex', 'The limit for characters is 16384.'],
    [() => any(nested(11)), 400, 'DocumentTooComplex', 'The limit for depth is 10.'],
    [() => any(`{${'a '.repeat(501)}}`), 400, 'DocumentTooComplex', 'The limit for fields is 500.'],
    [() => any(aliases(21)), 400, 'DocumentTooComplex', 'The limit for aliases is 20.'],
    [() => any(`{a ${'@x'.repeat(21)}}`), 400, 'DocumentTooComplex', 'The limit for directives is 20.'],
    [
      () => checkTrusted({ query: '{a}' }),
      403,
      'UntrustedDocument',
      'Only operations that this site ships are accepted.',
    ],
    [
      () => checkTrusted({ query: LIST_MESSAGES.query, operationName: 'Other' }),
      400,
      'OperationNotFound',
      'The document has no operation of that name.',
    ],
  ];

  // threat-model: T-044, T-090
  it.each(rejections)('is a sentence, see number %#', (check, status, code, message) => {
    expect(check()).toEqual({ rejection: { status, code, message } });
  });

  it.each([
    ['fields', `{${'a '.repeat(500)}}`],
    ['directives', `{a ${'@x'.repeat(20)}}`],
  ])('is not for a document with the maximum number of %s', (_what, query) => {
    expect(codeOf(any(query))).toBe('passed');
  });

  it('is not for a bug of the site, which is thrown', () => {
    const broken = { byText: () => null, byHash: () => fail() };
    const fail = () => {
      throw new TypeError('a bug');
    };
    const body = JSON.stringify({ documentId: `sha256:${'0'.repeat(64)}` });
    expect(() => checkOperation(body, { trusted: broken })).toThrow(new TypeError('a bug'));
  });
});

describe('an operation when only shipped ones are allowed', () => {
  const hash = createHash('sha256').update(LIST_MESSAGES.query).digest('hex');
  const listMessages = { ...LIST_MESSAGES, variables: { limit: 3 } };

  it.each([
    ['its text', { query: LIST_MESSAGES.query }],
    ['its text and its name', { query: LIST_MESSAGES.query, operationName: 'ListMessages' }],
    [
      'its text with other white space',
      { query: LIST_MESSAGES.query.replace('{listMessages', ' # a note\n {\n listMessages') },
    ],
    [
      'its text with an extension of another kind',
      { query: LIST_MESSAGES.query, extensions: { tracing: true } },
    ],
    ['its hash', { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
    ['its hash as a document id', { documentId: `sha256:${hash}` }],
    ['its hash in upper case', { documentId: `sha256:${hash.toUpperCase()}` }],
    ['its text and its hash', { query: LIST_MESSAGES.query, documentId: `sha256:${hash}` }],
  ])('is recognized by %s', (_what, request) => {
    expect(checkTrusted({ ...request, variables: { limit: 3 } })).toEqual({ operation: listMessages });
  });

  it.each([
    ['a shipped file as a whole', { query: source, operationName: 'ListMessages' }, '403 UntrustedDocument'],
    [
      'a shipped operation with an additional field',
      { query: LIST_MESSAGES.query.replace('nextToken}', 'nextToken __typename}') },
      '403 UntrustedDocument',
    ],
    ['an unknown hash', { documentId: `sha256:${'0'.repeat(64)}` }, '403 UntrustedDocument'],
    [
      'a text with the hash of another text',
      { query: LIST_MESSAGES.query, documentId: `sha256:${'0'.repeat(64)}` },
      '403 UntrustedDocument',
    ],
    ['a request without text and hash', { variables: {} }, '403 UntrustedDocument'],
    ['a text that does not parse', { query: '}' }, '403 UntrustedDocument'],
    ['a text that is not made of tokens', { query: '{a(b:"' }, '403 UntrustedDocument'],
    [
      'a text longer than the maximum',
      { query: ' '.repeat(bounds.characters + 1) },
      '400 DocumentTooComplex',
    ],
  ])('is rejected: %s', (_what, request, expected) => {
    expect(codeOf(checkTrusted(request))).toBe(expected);
  });

  it('may be any operation of the files beside the pages, whose cost is below a third of the limits', () => {
    const shipped = loadShippedDocuments();
    expect(shipped.byText(LIST_MESSAGES.query)).toEqual(LIST_MESSAGES);
    expect(shipped.byHash(documentHash('{a}'))).toBeNull();
    expect(measureCost(parse(LIST_MESSAGES.query))).toEqual({
      depth: 3,
      fields: 8,
      aliases: 0,
      directives: 0,
      introspects: false,
    });
  });

  it.each([
    ['without a name', '{a}', 'Every operation in a .graphql file needs a name.'],
    ['that subscribes', 'subscription S{a}', 'S is a subscription, which the proxy does not support.'],
    ['that does not parse', '{', 'Syntax Error'],
  ])('%s cannot be shipped', (_what, text, message) => {
    expect(() => createTrustedDocuments([text])).toThrow(message);
  });

  it('is found in any of several files, with the fragments that it uses', () => {
    const several = createTrustedDocuments([
      'query A{a...F} mutation B{b} fragment F on Query{f}',
      'query C{c}',
    ]);
    const found = { query: 'query A{a ...F}fragment F on Query{f}', operationName: 'A', kind: 'query' };
    expect(several.byText(found.query)).toEqual(found);
    expect(several.byHash(documentHash('mutation B{b}'))).toMatchObject({ kind: 'mutation' });
    expect(several.byText('query C{c}')?.operationName).toBe('C');
    expect(several.byText('fragment F on Query{f}')).toBeNull();
  });
});

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

/** “passed”, or the rejection in one line: its status, its code and its message. */
function outcomeOf(result: ReturnType<typeof checkOperation>): string {
  if ('operation' in result) return 'passed';
  const { status, code, message } = result.rejection;
  return `${status} ${code}: ${message}`;
}

/** Returns `levels` nested selections. */
const nested = (levels: number) => `${'{a'.repeat(levels)}${'}'.repeat(levels)}`;

/** Returns fragments that each spread the next one twice: 2^count fields in a short document. */
const doubling = (count: number) =>
  `{...F0} ${Array.from({ length: count }, (_, i) => `fragment F${i} on Query{...F${i + 1} ...F${i + 1}}`).join(' ')} fragment F${count} on Query{a}`;

/** Returns `count` fields that each have an alias. */
const aliases = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `x${index}:a`).join(' ')}}`;

/** A request whose variables are nested in `levels` levels. */
const variablesOf = (levels: number) =>
  `{"query":"{a}","variables":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;

/** A request of `count` values: itself, the query, the variables, a list, and what that contains. */
const bodyOf = (count: number) =>
  JSON.stringify({ query: '{a}', variables: { list: Array(count - 4).fill(0) } });

const malformed = '400 MalformedRequest: The body is not a GraphQL request.';
const tooComplex = '400 DocumentTooComplex: The limit for';

describe('a request body', () => {
  // threat-model: T-044, T-090
  it.each([
    ['is not JSON', '{', '400 MalformedJson: The body is not JSON.'],
    [
      'is a list of requests',
      '[]',
      '400 BatchingNotSupported: Batches are not supported: send one operation per request.',
    ],
    ['is a number', '1', malformed],
    ['has no query', '{}', '400 MalformedRequest: The request has no query.'],
    ['has a query that is not a string', '{"query":{"a":1}}', malformed],
    ['has variables that are a list', '{"query":"{a}","variables":[1]}', malformed],
    ['has an operation name that is a number', '{"query":"{a}","operationName":1}', malformed],
    ['has variables of 20 levels', variablesOf(20), 'passed'],
    [
      'has variables of 21 levels',
      variablesOf(21),
      '400 MalformedRequest: Variables may be nested at most 20 levels deep.',
    ],
    ['has 10,000 values', bodyOf(10_000), 'passed'],
    ['has 10,001 values', bodyOf(10_001), '400 MalformedRequest: The body may have at most 10000 values.'],
    [
      'has more commas than that in a string',
      JSON.stringify({ query: `{a(b:"${','.repeat(10_001)}")}` }),
      'passed',
    ],
    ['has a query of 16,384 characters', JSON.stringify({ query: '{a}'.padEnd(16_384) }), 'passed'],
    [
      'has a query of 16,385 characters',
      JSON.stringify({ query: '{a}'.padEnd(16_385) }),
      `${tooComplex} characters is 16384.`,
    ],
  ])('that %s is checked', (_what, body, expected) => {
    expect(outcomeOf(checkOperation(body, { trusted: null }))).toBe(expected);
  });

  it.each(['0'.repeat(63), '0'.repeat(65), `x${'0'.repeat(64)}`, 'g'.repeat(64)])(
    'that names an operation by the invalid hash “%s” is rejected',
    (hash) => {
      const persistedQuery = { sha256Hash: hash };
      for (const named of [{ documentId: `sha256:${hash}` }, { extensions: { persistedQuery } }]) {
        expect(outcomeOf(checkTrusted(named))).toBe(malformed);
      }
    },
  );

  it.each([`x-sha256:${'0'.repeat(64)}`, '0'.repeat(64)])(
    'that names an operation by the invalid document id “%s” is rejected',
    (documentId) => expect(outcomeOf(checkTrusted({ documentId }))).toBe(malformed),
  );

  it.each([
    ['no variables', {}],
    ['null for everything that is optional', { variables: null, operationName: null, extensions: null }],
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
  const unparsable = '400 MalformedDocument: Unable to parse GraphQL query.';
  const sameName = '400 MalformedDocument: Two definitions have the same name.';
  const notFound = '400 OperationNotFound: operationName must name one operation of the document.';

  // threat-model: T-044, T-090
  it.each([
    ['that does not parse at the name “tokens”', '{a} tokens', unparsable],
    [
      'that defines a type',
      '{a} type A{a:Int}',
      '400 MalformedDocument: Only operations and fragments are executable.',
    ],
    ['with two operations without a name', '{a} {b}', sameName],
    [
      'with two fragments of the same name',
      '{...F} fragment F on A{a} fragment F on A{__schema{a}}',
      sameName,
    ],
    ['without a fragment that it uses', '{...F}', '400 MalformedDocument: A fragment is missing.'],
    [
      'whose fragments form a cycle',
      '{...F} fragment F on A{b{...G}} fragment G on A{...on A{...F}}',
      '400 MalformedDocument: A fragment includes itself.',
    ],
    ['without an operation', 'fragment F on A{a}', notFound],
    ['that subscribes', 'subscription{a}', '400 SubscriptionNotSupported: Subscriptions are not supported.'],
    [
      'that hides introspection behind an alias',
      '{a:__schema{types{name}}}',
      '403 IntrospectionNotAllowed: Introspection is not allowed.',
    ],
    ['of 1,002 tokens', `{${'a '.repeat(1000)}}`, `${tooComplex} tokens is 1000.`],
    ['of the maximum depth', nested(bounds.depth), 'passed'],
    ['that is too deep', nested(11), `${tooComplex} depth is 10.`],
    ['with the maximum number of fields', `{${'a '.repeat(500)}}`, 'passed'],
    ['with too many fields', `{${'a '.repeat(501)}}`, `${tooComplex} fields is 500.`],
    ['with 2^60 fields because of fragments', doubling(60), `${tooComplex} fields is 500.`],
    ['with the maximum number of aliases', aliases(bounds.aliases), 'passed'],
    ['with too many aliases', aliases(21), `${tooComplex} aliases is 20.`],
    ['with the maximum number of directives', `{a ${'@x'.repeat(20)}}`, 'passed'],
    ['with too many directives', `{a ${'@x'.repeat(21)}}`, `${tooComplex} directives is 20.`],
  ])('%s is checked', (_what, query, expected) => {
    expect(outcomeOf(checkAny({ query }))).toBe(expected);
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
    ['no name is given', { query: several }, notFound],
    ['another name is given', { query: several, operationName: 'D' }, notFound],
    ['one has no name', { query: '{a} query A{a}', operationName: 'A' }, 'passed'],
  ])('with several operations is checked: %s', (_what, request, expected) => {
    expect(outcomeOf(checkAny(request))).toBe(expected);
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

  const untrusted = '403 UntrustedDocument: Only operations that this site ships are accepted.';

  it.each([
    [
      'a shipped operation with an additional field',
      { query: LIST_MESSAGES.query.replace('nextToken}', 'nextToken __typename}') },
      untrusted,
    ],
    ['an unknown hash', { documentId: `sha256:${'0'.repeat(64)}` }, untrusted],
    [
      'a text with the hash of another text',
      { query: LIST_MESSAGES.query, documentId: `sha256:${'0'.repeat(64)}` },
      untrusted,
    ],
    ['a request without text and hash', { variables: {} }, untrusted],
    ['a text that is not made of tokens', { query: '{a(b:"' }, untrusted],
    [
      'a shipped operation under another name',
      { query: LIST_MESSAGES.query, operationName: 'Other' },
      '400 OperationNotFound: The document has no operation of that name.',
    ],
  ])('is rejected: %s', (_what, request, expected) => {
    expect(outcomeOf(checkTrusted(request))).toBe(expected);
  });

  it('is not rejected because of a bug of the site, which is thrown', () => {
    const fail = () => {
      throw new TypeError('a bug');
    };
    const body = JSON.stringify({ documentId: `sha256:${'0'.repeat(64)}` });
    const trusted = { byText: () => null, byHash: fail };
    expect(() => checkOperation(body, { trusted })).toThrow(new TypeError('a bug'));
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

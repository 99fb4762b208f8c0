import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadShippedDocuments } from '../../../../app/server/graphql-proxy/shipped-documents.ts';
import { checkOperation } from '../../src/proxy/operation-check.ts';
import { createTrustedDocuments, documentHash, parseOperations } from '../../src/proxy/trusted-documents.ts';
import { LIST_MESSAGES } from '../support/messages.ts';

const trusted = createTrustedDocuments([LIST_MESSAGES.query]);
const check = (request: unknown) => checkOperation(JSON.stringify(request), trusted);

/** “passed”, or the rejection in one line: its status, its code and its message. */
function outcomeOf(result: ReturnType<typeof checkOperation>): string {
  if ('operation' in result) return 'passed';
  const { status, code, message } = result.rejection;
  return `${status} ${code}: ${message}`;
}

/** The text of a request for a shipped operation, with these variables. */
const withVariables = (variables: string) =>
  `{"query":${JSON.stringify(LIST_MESSAGES.query)},"variables":${variables}}`;

/** A request whose variables are nested in `levels` levels. */
const variablesOf = (levels: number) => withVariables(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

/** A request of `count` values: itself, the query, the variables, a list, and what that contains. */
const bodyOf = (count: number) => withVariables(JSON.stringify({ list: Array(count - 4).fill(0) }));

const malformed = '400 MalformedRequest: The body is not a GraphQL request.';
const untrusted = '403 UntrustedDocument: Only operations that this site ships are accepted.';

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
    ['has no query', '{}', untrusted],
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
      withVariables(JSON.stringify({ text: ','.repeat(10_001) })),
      'passed',
    ],
  ])('that %s is checked', (_what, body, expected) => {
    expect(outcomeOf(checkOperation(body, trusted))).toBe(expected);
  });

  it.each(['0'.repeat(63), '0'.repeat(65), `x${'0'.repeat(64)}`, 'g'.repeat(64)])(
    'that names an operation by the invalid hash “%s” is rejected',
    (hash) => {
      const persistedQuery = { sha256Hash: hash };
      for (const named of [{ documentId: `sha256:${hash}` }, { extensions: { persistedQuery } }]) {
        expect(outcomeOf(check(named))).toBe(malformed);
      }
    },
  );

  it.each([`x-sha256:${'0'.repeat(64)}`, '0'.repeat(64)])(
    'that names an operation by the invalid document id “%s” is rejected',
    (documentId) => expect(outcomeOf(check({ documentId }))).toBe(malformed),
  );

  it.each([
    ['no variables', {}],
    ['null for everything that is optional', { variables: null, operationName: null, extensions: null }],
  ])('may have %s', (_what, more) => {
    expect(check({ query: LIST_MESSAGES.query, ...more })).toEqual({
      operation: { ...LIST_MESSAGES, variables: {} },
    });
  });

  it('may have null among its variables', () => {
    const variables = { a: null, b: [null, 0, ''] };
    expect(check({ query: LIST_MESSAGES.query, variables })).toMatchObject({ operation: { variables } });
  });

  // threat-model: T-045
  it('leads to the shipped operation with the variables, without unknown members', () => {
    const result = check({
      query: LIST_MESSAGES.query,
      variables: { limit: 1 },
      operationName: 'ListMessages',
      kind: 'mutation',
      endpoint: 'https://example.com',
      extensions: { trace: true },
    });
    expect(result).toEqual({ operation: { ...LIST_MESSAGES, variables: { limit: 1 } } });
  });

  it('cannot change a prototype through its variables', () => {
    const result = checkOperation(withVariables('{"__proto__":{"polluted":true},"a":1}'), trusted);
    expect('operation' in result && Object.getPrototypeOf(result.operation.variables)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
});

describe('a document that the site does not ship', () => {
  const doubling = Array.from({ length: 60 }, (_, i) => `fragment F${i} on Query{...F${i + 1} ...F${i + 1}}`);

  // threat-model: T-044, T-045, T-090
  it.each([
    ['that does not parse', '{a} tokens'],
    ['that is not made of tokens', '{a(b:"'],
    ['that defines a type', '{a} type A{a:Int}'],
    ['without an operation', 'fragment F on A{a}'],
    ['that subscribes', 'subscription{a}'],
    ['that introspects', '{__schema{types{name}}}'],
    ['that hides introspection behind an alias', '{a:__type(name:"Query"){name}}'],
    ['whose fragments form a cycle', '{...F} fragment F on A{b{...G}} fragment G on A{...on A{...F}}'],
    ['with 2^60 fields because of fragments', `{...F0} ${doubling.join(' ')} fragment F60 on Query{a}`],
    ['of 10,000 levels', `${'{a'.repeat(10_000)}${'}'.repeat(10_000)}`],
    ['with 10,000 aliases', `{${Array.from({ length: 10_000 }, (_, index) => `x${index}:a`).join(' ')}}`],
    ['with 10,000 directives', `{a ${'@x'.repeat(10_000)}}`],
    ['of a million characters', `{a(b:"${'x'.repeat(1_000_000)}")}`],
    [
      'that hides another operation beside a shipped one',
      `${LIST_MESSAGES.query} mutation M{eraseMyRecords}`,
    ],
    ['that is shipped but for its white space', LIST_MESSAGES.query.replace('{', ' {')],
    [
      'that is shipped but for an additional field',
      LIST_MESSAGES.query.replace('nextToken}', 'nextToken __typename}'),
    ],
  ])('%s is rejected', (_what, query) => {
    expect(outcomeOf(check({ query }))).toBe(untrusted);
    expect(outcomeOf(check({ query, operationName: 'ListMessages' }))).toBe(untrusted);
  });
});

describe('a shipped operation', () => {
  const hash = createHash('sha256').update(LIST_MESSAGES.query).digest('hex');
  const listMessages = { ...LIST_MESSAGES, variables: { limit: 3 } };

  it.each([
    ['its text', { query: LIST_MESSAGES.query }],
    ['its text and its name', { query: LIST_MESSAGES.query, operationName: 'ListMessages' }],
    [
      'its text with an extension of another kind',
      { query: LIST_MESSAGES.query, extensions: { tracing: true } },
    ],
    ['its hash', { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
    ['its hash as a document id', { documentId: `sha256:${hash}` }],
    ['its hash in upper case', { documentId: `sha256:${hash.toUpperCase()}` }],
    ['its text and its hash', { query: LIST_MESSAGES.query, documentId: `sha256:${hash}` }],
  ])('is recognized by %s', (_what, request) => {
    expect(check({ ...request, variables: { limit: 3 } })).toEqual({ operation: listMessages });
  });

  it.each([
    ['an unknown hash', { documentId: `sha256:${'0'.repeat(64)}` }, untrusted],
    [
      'a text with the hash of another text',
      { query: LIST_MESSAGES.query, documentId: `sha256:${'0'.repeat(64)}` },
      untrusted,
    ],
    ['a request without text and hash', { variables: {} }, untrusted],
    [
      'a shipped operation under another name',
      { query: LIST_MESSAGES.query, operationName: 'Other' },
      '400 OperationNotFound: The document has no operation of that name.',
    ],
  ])('is rejected: %s', (_what, request, expected) => {
    expect(outcomeOf(check(request))).toBe(expected);
  });

  it('is not rejected because of a bug of the site, which is thrown', () => {
    const fail = () => {
      throw new TypeError('a bug');
    };
    const body = JSON.stringify({ documentId: `sha256:${'0'.repeat(64)}` });
    expect(() => checkOperation(body, { byText: () => null, byHash: fail })).toThrow(new TypeError('a bug'));
  });

  it('may be any operation of the files beside the pages', () => {
    const shipped = loadShippedDocuments();
    expect(shipped.byText(LIST_MESSAGES.query)).toEqual(LIST_MESSAGES);
    expect(shipped.byHash(documentHash('{a}'))).toBeNull();
  });

  it.each([
    ['without a name', '{a}', 'Every operation in a .graphql file needs a name.'],
    ['that does not parse', '{', 'Syntax Error'],
  ])('%s cannot be shipped', (_what, text, message) => {
    expect(() => createTrustedDocuments([text])).toThrow(message);
  });

  // threat-model: T-144
  it('of a subscription can be shipped, but not sent through the proxy', () => {
    const source = 'query A{a} subscription S{...F} fragment F on Subscription{s}';
    const query = 'subscription S{...F}fragment F on Subscription{s}';
    expect(parseOperations(source)[1]).toEqual({ query, operationName: 'S', kind: 'subscription' });
    const documents = createTrustedDocuments([source]);
    expect([documents.byText(query), documents.byHash(documentHash(query))]).toEqual([null, null]);
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

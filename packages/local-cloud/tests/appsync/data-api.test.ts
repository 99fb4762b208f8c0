import { buildSchema, graphql, parse } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import { buildApiSchema, type Caller } from '../../src/appsync/api-schema.ts';
import { documentErrors } from '../../src/appsync/document-rules.ts';
import { iamIdentity, userPoolIdentity } from '../../src/appsync/resolver-context.ts';
import {
  CREATE,
  listMessages,
  type Member,
  readJson,
  signedSender,
  signUpMember,
  tokenSender,
} from '../support/graphql-requests.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';

const HOUR = 60 * 60_000;
const local = startLocalCloudForTests();
let ada: Member;
beforeEach(async () => {
  ada = await signUpMember(local);
});

describe('a caller', () => {
  const body = { query: '{ listMessages { nextToken } }' };

  test('may send an ID token or access token, with and without the prefix "Bearer"', async () => {
    for (const token of [ada.idToken, ada.accessToken, `Bearer ${ada.idToken}`]) {
      expect(await readJson(tokenSender(local.cloud, token)(body))).toEqual({
        data: { listMessages: { nextToken: null } },
      });
    }
  });

  async function expectRejection(response: Response, status: number, errorType: string, message: string) {
    expect(response.status).toBe(status);
    expect(response.headers.get('x-amzn-errortype')).toBe(errorType);
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({ errors: [{ errorType, message }] });
  }

  test.each([
    ['no token', () => '', 'Valid authorization header not provided.'],
    ['a malformed token', () => 'nonsense', 'Unable to parse JWT token.'],
    [
      'a modified token',
      () => ada.idToken.replace(/.{8}$/, 'AAAAAAAA'),
      'You are not authorized to make this call.',
    ],
  ])('is unauthorized with %s', async (_what, token, message) => {
    const response = await tokenSender(local.cloud, token())(body);
    await expectRejection(response, 401, 'UnauthorizedException', message);
  });

  test('is unauthorized with a token or an access key that has expired', async () => {
    local.now += HOUR;
    const withToken = await tokenSender(local.cloud, ada.idToken)(body);
    await expectRejection(withToken, 401, 'UnauthorizedException', 'Token has expired.');
    const expired = 'The security token included in the request is expired';
    await expectRejection(await ada.send(body), 403, 'ExpiredTokenException', expired);
  });

  test("may not call any field with a guest's credentials", async () => {
    const guest = await signedSender(local);
    const response = await guest({ query: CREATE, variables: { content: 'Hello' } });
    await expectRejection(response, 401, 'UnauthorizedException', 'Permission denied');
    expect(await readJson(guest({ query: '{ __typename }' }))).toEqual({ data: { __typename: 'Query' } });
    expect((await listMessages(ada.send)).items).toEqual([]);
  });

  test('is denied the fields that the role of signed callers does not allow, unlike the owner of a token', async () => {
    local.cloud.faults.set({ deniedFields: ['Query.listMessages'] });
    const query = 'query { ...A } fragment A on Query { listMessages { nextToken } }';
    await expectRejection(await ada.send({ query }), 401, 'UnauthorizedException', 'Permission denied');
    expect((await ada.send({ query: CREATE, variables: { content: 'Hello' } })).status).toBe(200);
    expect((await tokenSender(local.cloud, ada.accessToken)({ query })).status).toBe(200);
  });
});

describe('the authorization directives', () => {
  const both = '@aws_iam @aws_cognito_user_pools';
  const groups = (name: string) => `@aws_cognito_user_pools(cognito_groups: ["${name}"])`;
  const role = { arn: 'arn:aws:iam::123456789012:role/member', allows: () => true };
  const signer = { accessKeyId: 'ASIA', identityId: 'i', sub: 'ann', role };
  const iam = iamIdentity(signer, { identityPoolId: 'p', providerName: 'n' });
  const claims = { sub: 'ann', iss: '', origin_jti: '', 'cognito:groups': ['editors'] };
  const member = userPoolIdentity({ ...claims, token_use: 'id', aud: '' });
  const callers: Caller[] = [
    { mode: 'iam', role, identity: iam, headers: {}, appendedErrors: [] },
    { mode: 'userPool', role: null, identity: member, headers: {}, appendedErrors: [] },
  ];

  const denied = (field: string) => `Not Authorized to access ${field}`;
  const cases: [what: string, schema: string, iam: string | null, userPool: string | null][] = [
    [
      'neither field nor type has a directive',
      'type Query { a: A } type A { b: Int }',
      denied('a on type Query'),
      null,
    ],
    [
      'only the field has directives',
      `type Query { a: A ${both} } type A { b: Int }`,
      denied('b on type A'),
      null,
    ],
    [
      'only the type has directives',
      `type Query { a: A } type A ${both} { b: Int }`,
      denied('a on type Query'),
      null,
    ],
    [
      'all allow only IAM',
      'type Query @aws_iam { a: A } type A @aws_iam { b: Int }',
      null,
      denied('a on type Query'),
    ],
    ['the fields have directives', `type Query { a: A ${both} } type A { b: Int ${both} }`, null, null],
    [
      'a group is named',
      `type Query { a: A } type A { b: Int ${groups('editors')} }`,
      denied('a on type Query'),
      null,
    ],
    [
      'another group is named',
      `type Query { a: A ${groups('admins')} } type A { b: Int }`,
      denied('a on type Query'),
      denied('a on type Query'),
    ],
  ];

  test.each(cases)('decide access when %s', async (_, source, ...expected) => {
    const schema = buildApiSchema(source, { Query: { a: () => ({ b: 1 }) } });
    const messages = callers.map(async (contextValue) => {
      const { errors } = await graphql({ schema, source: '{ a { b } }', contextValue });
      return errors?.[0]?.message ?? null;
    });
    expect(await Promise.all(messages)).toEqual(expected);
  });

  test('need a resolver for every field of Query and Mutation', () => {
    expect(() => buildApiSchema('type Query { weather: String }', {})).toThrow(
      'Query.weather of the schema has no resolver in the template.',
    );
  });
});

test.each([
  ['AWSDateTime', '2026-11-28T09:30:00.000Z', true],
  ['AWSDateTime', '2026-11-28T09:30+02:00', true],
  ['AWSDateTime', '2026-11-28T09:30', false],
  ['AWSDateTime', '2026-13-28T09:30:00Z', false],
  ['AWSDateTime', 'soon', false],
  ['AWSDate', '2026-11-28', true],
  ['AWSDate', '2026-13-28', false],
  ['AWSTime', '09:30:00.123', true],
  ['AWSTime', '25:30', false],
  ['AWSTimestamp', 1_764_322_200, true],
  ['AWSTimestamp', 1.5, false],
  ['AWSEmail', 'ada@example.com', true],
  ['AWSEmail', 'ada', false],
  ['AWSURL', 'https://site.example/a', true],
  ['AWSURL', '/a', false],
])('the scalar %s accepts %j: %s', async (scalar, given, isValid) => {
  const source = `type Query { at(value: ${scalar}!): ${scalar} @aws_iam }`;
  const schema = buildApiSchema(source, { Query: { at: ({ value }) => value } });
  const contextValue = { mode: 'iam' };
  const variableValues = { given };
  const query = `query ($given: ${scalar}!) { at(value: $given) }`;
  const { data } = await graphql({ schema, source: query, contextValue, variableValues });
  expect(data?.at).toBe(isValid ? given : undefined);
});

describe('a request', () => {
  const malformed: [what: string, body: string, message: string][] = [
    ['an empty body', '', 'Request body is empty.'],
    ['no JSON', 'meow', 'Unable to parse GraphQL query.'],
    ['no query', '{}', 'Unable to parse GraphQL query.'],
    ['half a query', '{"query":"{ listMessages { "}', 'Unable to parse GraphQL query.'],
    ['an array of variables', '{"query":"{ __typename }","variables":[]}', 'Unable to parse GraphQL query.'],
    [
      '3,000 GraphQL tokens',
      JSON.stringify({ query: `{ ${'__typename '.repeat(3_000)} }` }),
      'Unable to parse GraphQL query.',
    ],
  ];

  test.each(malformed)('with %s is malformed', async (_, body, text) => {
    const response = await ada.send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      errors: [{ errorType: 'MalformedHttpRequestException', message: text }],
    });
  });

  const invalid: [query: string, message: RegExp][] = [
    ['{ nothing }', /^Validation error of type FieldUndefined: /],
    ['{ listMessages(first: 1) { nextToken } }', /^Validation error of type UnknownArgument: /],
    ['mutation { createMessage { id } }', /^Validation error of type MissingFieldArgument: /],
    ['mutation { createMessage(content: 1) { id } }', /^Validation error of type WrongType: /],
    ['{ __schema { types { name } } }', /^Validation error of type FieldUndefined: /],
    ['{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /Cannot spread fragment/],
    ['query A { __typename } query B { __typename }', /^Must provide operation name/],
    [
      'mutation ($content: String!) { createMessage(content: $content) { id } }',
      /\$content.* was not provided/,
    ],
  ];

  test.each(invalid)('with the document %s gets status 200 and no data', async (query, text) => {
    const result = await readJson(ada.send({ query }));
    expect(result).toHaveProperty('data', null);
    expect(result).toHaveProperty('errors.0.path', null);
    expect(result).toHaveProperty('errors.0.message', expect.stringMatching(text));
    expect(JSON.stringify(result)).not.toContain('errorType');
  });

  test('executes the operation named in operationName', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }';
    const result = await readJson(ada.send({ query, operationName: 'B' }));
    expect(result).toEqual({ data: { b: 'Query' } });
  });
});

test('a document may nest five fields, also in fragments', () => {
  const schema = buildSchema('type Query { a: Query b: Int }');
  const errorsOf = (query: string) => documentErrors(schema, parse(query)).map(({ message }) => message);
  const nested = (depth: number) => `${'a { '.repeat(depth - 1)} b ${'}'.repeat(depth - 1)}`;
  expect(errorsOf(`{ ${nested(5)} }`)).toEqual([]);
  for (const query of [
    `{ ${nested(6)} }`,
    `{ ... on Query { ${nested(6)} } }`,
    `{ a { ...A } } fragment A on Query { a { ...B ...B } } fragment B on Query { ${nested(4)} }`,
  ]) {
    expect(errorsOf(query)).toEqual(['Query depth limit of 5 exceeded.']);
  }
});

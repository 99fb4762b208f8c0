import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildApiSchema } from '../../appsync/api-schema.ts';
import { type AwsServices, CREDENTIAL_SECONDS, startAwsServices } from '../support/aws-services.ts';
import {
  CREATE,
  listMessages,
  readJson,
  type Send,
  signedSender,
  tokenSender,
} from '../support/graphql-requests.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(async () => {
  services.time.now = NOW;
  services.faults.set({});
  await services.reset();
});

describe('a caller', () => {
  const body = { query: '{ listMessages { nextToken } }' };
  const idToken = () => services.tokens.mintIdToken(services.grant(), null);

  test.each(['', 'Bearer ', 'bearer '])(
    'may send an ID token or access token with the prefix "%s"',
    async (prefix) => {
      const accessToken = await services.tokens.mintAccessToken(services.grant());
      for (const token of [await idToken(), accessToken]) {
        expect(await readJson(tokenSender(services, prefix + token)(body))).toEqual({
          data: { listMessages: { nextToken: null } },
        });
      }
    },
  );

  async function expectRejection(response: Response, status: number, errorType: string, message: string) {
    expect(response.status).toBe(status);
    expect(response.headers.get('x-amzn-errortype')).toBe(errorType);
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({ errors: [{ errorType, message }] });
  }

  test.each([
    ['no token', async () => '', 'Valid authorization header not provided.'],
    ['a malformed token', async () => 'nonsense', 'Unable to parse JWT token.'],
    [
      'a modified token',
      async () => (await idToken()).replace(/.{8}$/, 'AAAAAAAA'),
      'You are not authorized to make this call.',
    ],
  ])('is unauthorized with %s', async (_what, token, message) => {
    const response = await tokenSender(services, await token())(body);
    await expectRejection(response, 401, 'UnauthorizedException', message);
  });

  test('is unauthorized with a token or an access key that has expired', async () => {
    const sendToken = tokenSender(services, await idToken());
    const key = services.identityPool.accessKeys.issue('id', 'x');
    services.time.now += CREDENTIAL_SECONDS * 1000;
    await expectRejection(await sendToken(body), 401, 'UnauthorizedException', 'Token has expired.');
    await expectRejection(
      await signedSender(services, 'x', key)(body),
      403,
      'ExpiredTokenException',
      'The security token included in the request is expired',
    );
  });

  test("may not resolve any field with a guest's credentials", async () => {
    const result = await readJson(
      signedSender(services, null)({ query: CREATE, variables: { content: 'Hello' } }),
    );
    expect(result).toMatchObject({
      data: null,
      errors: [
        {
          path: ['createMessage'],
          data: null,
          errorType: 'Unauthorized',
          errorInfo: null,
          locations: [{ line: 1, column: 38, sourceName: null }],
          message: 'Not Authorized to access createMessage on type Mutation',
        },
      ],
    });
    expect((await listMessages(signedSender(services, randomUUID()))).items).toEqual([]);
  });
});

test('a field that the role of signed callers does not allow is denied to them, not to the owner of a token', async () => {
  services.faults.set({ deniedFields: ['Query.listMessages'] });
  const signed = signedSender(services, randomUUID());
  const query = 'query { ...A } fragment A on Query { listMessages { nextToken } }';
  const denied = await signed({ query });
  expect(denied.status).toBe(401);
  expect(await denied.json()).toEqual({
    errors: [{ errorType: 'UnauthorizedException', message: 'Permission denied' }],
  });
  expect((await signed({ query: CREATE, variables: { content: 'Hello' } })).status).toBe(200);
  const token = await services.tokens.mintAccessToken(services.grant());
  expect((await tokenSender(services, token)({ query })).status).toBe(200);
});

describe('the authorization directives', () => {
  const open = '@aws_iam @aws_cognito_user_pools';
  const schemaWith = (field: string, type: string, inner = '') => `
    type Query { listMessages(limit: Int, nextToken: String): MessagePage ${field} }
    type Mutation {
      createMessage(content: String!): Message ${open}
      deleteMessage(id: ID!): Message ${open}
    }
    type MessagePage ${type} { items: [Message!] nextToken: String ${inner} }
    type Message ${open} { id: ID! content: String! createdAt: AWSDateTime! mine: Boolean! author: String! }`;

  // The schema of the site allows both modes everywhere.
  const cases: [what: string, schema: string, iam: string | null, userPool: string | null][] = [
    ['neither field nor type has a directive', schemaWith('', ''), 'listMessages on type Query', null],
    ['only the field has directives', schemaWith(open, ''), 'nextToken on type MessagePage', null],
    ['only the type has directives', schemaWith('', open), 'listMessages on type Query', null],
    ['field and type allow only IAM', schemaWith('@aws_iam', '@aws_iam'), null, 'listMessages on type Query'],
    ['a field has directives and its type has none', schemaWith(open, '', open), null, null],
  ];

  test.each(cases)('decide access when %s', async (_, schema, iam, userPool) => {
    const restricted = await startAwsServices({ schema });
    try {
      const token = await restricted.tokens.mintAccessToken(restricted.grant());
      const callers: [Send, string | null][] = [
        [signedSender(restricted, randomUUID()), iam],
        [tokenSender(restricted, token), userPool],
      ];
      for (const [send, denied] of callers) {
        const result = await readJson(send({ query: '{ listMessages { nextToken } }' }));
        if (denied === null) expect(result).toEqual({ data: { listMessages: { nextToken: null } } });
        else {
          expect(result).toMatchObject({
            errors: [{ errorType: 'Unauthorized', message: `Not Authorized to access ${denied}` }],
          });
        }
      }
    } finally {
      await restricted.close();
    }
  });
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
    const response = await signedSender(services, randomUUID())(body);
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
    ['{ listMessages { nextToken } } fragment A on Message { id }', /UnusedFragment: /],
    ['query ($content: String!) { __typename }', /UnusedVariable: /],
    ['{ __schema { types { name } } }', /^Validation error of type FieldUndefined: /],
    [`{ ${'a { '.repeat(6)} b ${'}'.repeat(6)} }`, /Query depth limit of 5 exceeded/],
    [
      '{ ...A } fragment A on Query { a { a { a { ...B } } } } fragment B on Query { a { a { a } } }',
      /Query depth limit of 5 exceeded/,
    ],
    ['{ ... on Query { a { a { a { a { a { a } } } } } } }', /Query depth limit of 5 exceeded/],
    ['{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /FragmentCycle: /],
    ['query A { __typename } query B { __typename }', /^Must provide operation name/],
    [
      'mutation ($content: String!) { createMessage(content: $content) { id } }',
      /\$content.* was not provided/,
    ],
  ];

  test.each(invalid)('with the document %s gets status 200 and no data', async (query, text) => {
    const result = await readJson(signedSender(services, randomUUID())({ query }));
    expect(result).toHaveProperty('data', null);
    expect(result).toHaveProperty('errors.0.path', null);
    expect(result).toHaveProperty('errors.0.message', expect.stringMatching(text));
    expect(JSON.stringify(result)).not.toContain('errorType');
  });

  test('may have a GraphQL document as its body', async () => {
    const response = await fetch(`${services.origin}/graphql`, {
      method: 'POST',
      headers: {
        authorization: await services.tokens.mintAccessToken(services.grant()),
        'content-type': 'application/graphql',
      },
      body: '{ __typename }',
    });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  test('may be a GET with the operation in its query', async () => {
    const authorization = await services.tokens.mintAccessToken(services.grant());
    const get = (params: Record<string, string> | string) =>
      fetch(`${services.origin}/graphql?${new URLSearchParams(params)}`, { headers: { authorization } });
    expect(await readJson(get({ query: '{ __typename }' }))).toEqual({ data: { __typename: 'Query' } });
    const query = 'mutation A { __typename } mutation B { b: __typename }';
    expect(await readJson(get({ query, operationName: 'B' }))).toEqual({ data: { b: 'Mutation' } });
    const skip = 'query ($yes: Boolean!) { a: __typename b: __typename @skip(if: $yes) }';
    expect(await readJson(get({ query: skip, variables: '{"yes":true}' }))).toEqual({ data: { a: 'Query' } });
    for (const params of ['', 'query=%7B+__typename+%7D&variables=x']) {
      const response = await get(params);
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          errors: [{ errorType: 'MalformedHttpRequestException', message: 'Unable to parse GraphQL query.' }],
        },
      ]);
    }
  });

  test('with another method gets a 405 response', async () => {
    const response = await fetch(`${services.origin}/graphql`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  test('executes the operation named in operationName', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }';
    const result = await readJson(signedSender(services, randomUUID())({ query, operationName: 'B' }));
    expect(result).toEqual({ data: { b: 'Query' } });
  });
});

test('a schema with a field that has no resolver is rejected', () => {
  expect(() => buildApiSchema('type Query { weather: String }', {})).toThrow(
    'Query.weather has no resolver.',
  );
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AwsServices, CREDENTIAL_SECONDS, startAwsServices } from '../support/aws-services.ts';
import {
  CREATE,
  listMessages,
  readJson,
  type Send,
  serializeBody,
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
  await services.reset();
});

describe('a caller', () => {
  const body = { query: '{ listMessages { nextToken } }' };
  const success = { data: { listMessages: { nextToken: null } } };

  test('may sign requests with credentials of the identity pool', async () => {
    expect(await readJson(signedSender(services, randomUUID())(body))).toEqual(success);
  });

  test.each(['', 'Bearer ', 'bearer '])(
    'may send an ID token or access token with the prefix "%s"',
    async (prefix) => {
      const grant = services.grant();
      for (const token of [
        await services.tokens.mintIdToken(grant, null),
        await services.tokens.mintAccessToken(grant),
      ]) {
        expect(await readJson(tokenSender(services, prefix + token)(body))).toEqual(success);
      }
    },
  );

  const idToken = () => services.tokens.mintIdToken(services.grant(), null);
  const later = NOW + CREDENTIAL_SECONDS * 1000;
  const rejections: [
    what: string,
    send: () => Promise<Response>,
    status: number,
    type: string,
    message: RegExp,
  ][] = [
    [
      'no authorization header',
      () => fetch(`${services.origin}/graphql`, { method: 'POST', body: serializeBody(body) }),
      401,
      'UnauthorizedException',
      /^Valid authorization header not provided\.$/,
    ],
    [
      'a malformed token',
      () => tokenSender(services, 'nonsense')(body),
      401,
      'UnauthorizedException',
      /^Unable to parse JWT token\.$/,
    ],
    [
      'a modified token',
      async () => tokenSender(services, (await idToken()).replace(/.{8}$/, 'AAAAAAAA'))(body),
      401,
      'UnauthorizedException',
      /^You are not authorized to make this call\.$/,
    ],
    [
      'an expired token',
      async () => {
        const token = await idToken();
        services.time.now = later;
        return tokenSender(services, token)(body);
      },
      401,
      'UnauthorizedException',
      /^Token has expired\.$/,
    ],
    [
      'an unknown access key, as after a restart',
      () =>
        signedSender(services, 'x', {
          key: { ...services.accessKeys.issue('id', 'x'), accessKeyId: 'ASIAX' },
        })(body),
      403,
      'UnrecognizedClientException',
      /^The security token included in the request is invalid\.$/,
    ],
    [
      'an expired access key',
      () => {
        const key = services.accessKeys.issue('id', 'x');
        services.time.now = later;
        return signedSender(services, 'x', { key, now: later })(body);
      },
      403,
      'ExpiredTokenException',
      /^The security token included in the request is expired$/,
    ],
    [
      'a signature for another region',
      () => signedSender(services, 'x', { region: 'eu-west-1' })(body),
      403,
      'InvalidSignatureException',
      /^Credential should be scoped to a valid region/,
    ],
    [
      'an incomplete signature',
      () => tokenSender(services, 'AWS4-HMAC-SHA256 Credential=ASIAX')(body),
      403,
      'IncompleteSignatureException',
      /requires 'Signature' parameter/,
    ],
  ];

  test.each(rejections)('is rejected with %s', async (_, send, status, errorType, reason) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-amzn-errortype')).toBe(errorType);
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({
      errors: [{ errorType, message: expect.stringMatching(reason) }],
    });
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

  const cases: [what: string, schema: string, iam: string | null, userPool: string | null][] = [
    ['field and type allow both modes', schemaWith(open, open), null, null],
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
    ...['meow', '{}', '[]', 'null', '{"query":1}', '{"query":"{ listMessages { "}', '{"query":""}'].map(
      (body): [string, string, string] => [body, body, 'Unable to parse GraphQL query.'],
    ),
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
    ['{ __schema { types { name } } }', /^Validation error of type FieldUndefined: /],
    ['{ __type(name: "Message") { name } }', /^Validation error of type FieldUndefined: /],
    [`{ ${'a { '.repeat(6)} b ${'}'.repeat(6)} }`, /Query depth limit of 5 exceeded/],
    [
      '{ ...A } fragment A on Query { a { a { a { ...B } } } } fragment B on Query { a { a { a } } }',
      /Query depth limit of 5 exceeded/,
    ],
    ['{ ... on Query { a { a { a { a { a { a } } } } } } }', /Query depth limit of 5 exceeded/],
    ['{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /FragmentCycle: /],
    ['query A { __typename } query B { __typename }', /^Must provide operation name/],
    ['query ($content: String!) { __typename }', /UnusedVariable: /],
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

test('startup fails for a schema with a field that has no resolver', async () => {
  await expect(startAwsServices({ schema: 'type Query { weather: String }' })).rejects.toThrow(
    'Query.weather has no resolver.',
  );
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AwsServices,
  CREDENTIAL_SECONDS,
  startAwsServices,
} from '../../support/local-cloud/aws-services.ts';
import {
  CREATE,
  listMessages,
  readJson,
  type Send,
  serializeBody,
  signedSender,
  tokenSender,
} from '../../support/local-cloud/graphql-requests.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(() => {
  services.time.now = NOW;
  services.store.reset();
});

describe('who calls', () => {
  const body = { query: '{ listMessages { nextToken } }' };
  const good = { data: { listMessages: { nextToken: null } } };

  test('may sign with credentials of the identity pool', async () => {
    expect(await readJson(signedSender(services, randomUUID())(body))).toEqual(good);
  });

  test.each(['', 'Bearer ', 'bearer '])('may send an ID or access token after "%s"', async (prefix) => {
    const grant = services.grant();
    for (const token of [
      await services.tokens.mintIdToken(grant, null),
      await services.tokens.mintAccessToken(grant),
    ]) {
      expect(await readJson(tokenSender(services, prefix + token)(body))).toEqual(good);
    }
  });

  const idToken = () => services.tokens.mintIdToken(services.grant(), null);
  const later = NOW + CREDENTIAL_SECONDS * 1000;
  const refusals: [
    what: string,
    send: () => Promise<Response>,
    status: number,
    type: string,
    message: RegExp,
  ][] = [
    [
      'nothing',
      () => fetch(`${services.origin}/graphql`, { method: 'POST', body: serializeBody(body) }),
      401,
      'UnauthorizedException',
      /^Valid authorization header not provided\.$/,
    ],
    [
      'no token',
      () => tokenSender(services, 'nonsense')(body),
      401,
      'UnauthorizedException',
      /^Unable to parse JWT token\.$/,
    ],
    [
      'a token changed',
      async () => tokenSender(services, (await idToken()).replace(/.{8}$/, 'AAAAAAAA'))(body),
      401,
      'UnauthorizedException',
      /^You are not authorized to make this call\.$/,
    ],
    [
      'a token expired',
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
      'a key that nobody issued, as after a restart',
      () =>
        signedSender(services, 'x', {
          key: { ...services.accessKeys.issue('id', 'x'), accessKeyId: 'ASIAX' },
        })(body),
      403,
      'UnrecognizedClientException',
      /^The security token included in the request is invalid\.$/,
    ],
    [
      'the session token of another key',
      () =>
        signedSender(services, 'x', {
          key: {
            ...services.accessKeys.issue('id', 'x'),
            sessionToken: services.accessKeys.issue('id', 'x').sessionToken,
          },
        })(body),
      403,
      'UnrecognizedClientException',
      /^The security token included in the request is invalid\.$/,
    ],
    [
      'an expired key',
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
      'a clock ten minutes late',
      () => signedSender(services, 'x', { now: NOW - 600_000 })(body),
      403,
      'InvalidSignatureException',
      /^Signature expired: 20261121T095000Z is now earlier than 20261121T095500Z \(20261121T100000Z - 5 min\.\)$/,
    ],
    [
      'a signature for another region',
      () => signedSender(services, 'x', { region: 'eu-west-1' })(body),
      403,
      'InvalidSignatureException',
      /^Credential should be scoped to a valid region/,
    ],
    [
      'a signature for another service',
      () => signedSender(services, 'x', { service: 'execute-api' })(body),
      403,
      'InvalidSignatureException',
      /^Credential should be scoped to correct service: 'appsync'/,
    ],
    [
      'half a signature',
      () => tokenSender(services, 'AWS4-HMAC-SHA256 Credential=ASIAX')(body),
      403,
      'IncompleteSignatureException',
      /requires 'Signature' parameter/,
    ],
  ];

  test.each(refusals)('is refused with %s', async (_, send, status, errorType, reason) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-amzn-errortype')).toBe(errorType);
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({
      errors: [{ errorType, message: expect.stringMatching(reason) }],
    });
  });

  test('may not use GET', async () => {
    const response = await fetch(`${services.origin}/graphql?query={listMessages{nextToken}}`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test("may not use a guest's credentials for anything", async () => {
    const answer = await readJson(
      signedSender(services, null)({ query: CREATE, variables: { content: 'Hello' } }),
    );
    expect(answer).toMatchObject({
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

describe('the access directives', () => {
  const open = '@aws_iam @aws_cognito_user_pools';
  const schemaWith = (field: string, type: string, inner = '') => `
    type Query { listMessages(limit: Int, nextToken: String): MessagePage ${field} }
    type Mutation {
      createMessage(content: String!): Message ${open}
      deleteMessage(id: ID!): Message ${open}
    }
    type MessagePage ${type} { items: [Message!] nextToken: String ${inner} }
    type Message ${open} { id: ID! content: String! createdAt: AWSDateTime! mine: Boolean! }`;

  const cases: [what: string, schema: string, iam: string | null, userPool: string | null][] = [
    ['field and type name both modes', schemaWith(open, open), null, null],
    ['neither names one', schemaWith('', ''), 'listMessages on type Query', null],
    ['the type names none', schemaWith(open, ''), 'nextToken on type MessagePage', null],
    ['the field names none', schemaWith('', open), 'listMessages on type Query', null],
    ['both name IAM alone', schemaWith('@aws_iam', '@aws_iam'), null, 'listMessages on type Query'],
    ["the type's field says otherwise than its type", schemaWith(open, '', open), null, null],
  ];

  test.each(cases)('when %s', async (_, schema, iam, userPool) => {
    const restricted = await startAwsServices({ schema });
    try {
      const token = await restricted.tokens.mintAccessToken(restricted.grant());
      const callers: [Send, string | null][] = [
        [signedSender(restricted, randomUUID()), iam],
        [tokenSender(restricted, token), userPool],
      ];
      for (const [send, denied] of callers) {
        const answer = await readJson(send({ query: '{ listMessages { nextToken } }' }));
        if (denied === null) expect(answer).toEqual({ data: { listMessages: { nextToken: null } } });
        else {
          expect(answer).toMatchObject({
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
    [
      'variables that are a list',
      '{"query":"{ __typename }","variables":[]}',
      'Unable to parse GraphQL query.',
    ],
    [
      'thousands of tokens',
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
    [`{ ${'a { '.repeat(11)} b ${'}'.repeat(11)} }`, /Query depth limit of 10 exceeded/],
    ['{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /FragmentCycle: /],
    ['query A { __typename } query B { __typename }', /^Must provide operation name/],
    ['query ($content: String!) { __typename }', /UnusedVariable: /],
    [
      'mutation ($content: String!) { createMessage(content: $content) { id } }',
      /\$content.* was not provided/,
    ],
  ];

  test.each(invalid)('of %s is answered 200 without data', async (query, text) => {
    const answer = await readJson(signedSender(services, randomUUID())({ query }));
    expect(answer).toHaveProperty('data', null);
    expect(answer).toHaveProperty('errors.0.path', null);
    expect(answer).toHaveProperty('errors.0.message', expect.stringMatching(text));
    expect(JSON.stringify(answer)).not.toContain('errorType');
  });

  test('may be GraphQL itself', async () => {
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

  test('runs the operation that it names', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }';
    const answer = await readJson(signedSender(services, randomUUID())({ query, operationName: 'B' }));
    expect(answer).toEqual({ data: { b: 'Query' } });
  });
});

test('a schema with a field that nothing resolves is not served', async () => {
  await expect(startAwsServices({ schema: 'type Query { weather: String }' })).rejects.toThrow(
    'Query.weather has no resolver.',
  );
});

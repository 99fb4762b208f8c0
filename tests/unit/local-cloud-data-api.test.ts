import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AwsServices, CREDENTIAL_SECONDS, startAwsServices } from '../support/aws-services.ts';
import { type Signing, signedFetch } from '../support/signed-fetch.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const LIST =
  'query List($limit: Int, $nextToken: String) { listMessages(limit: $limit, nextToken: $nextToken) { items { id content createdAt mine } nextToken } }';
const CREATE =
  'mutation Create($content: String!) { createMessage(content: $content) { id content createdAt mine } }';
const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id content mine } }';

const message = z.object({ id: z.string(), content: z.string(), createdAt: z.string(), mine: z.boolean() });
const page = z.object({
  data: z.object({ listMessages: z.object({ items: z.array(message), nextToken: z.string().nullable() }) }),
});
const created = z.object({ data: z.object({ createMessage: message }) });

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(() => {
  services.time.now = NOW;
  services.store.reset();
});

/** How somebody sends a body. */
type Send = (body: unknown) => Promise<Response>;

function signedBy(sub: string | null, at = services, changes: Partial<Signing> = {}): Send {
  const key = at.accessKeys.issue(`us-east-1:${randomUUID()}`, sub);
  return (body) => signedFetch(`${at.origin}/graphql`, textOf(body), { key, now: at.time.now, ...changes });
}

function withToken(token: string, at = services): Send {
  return (body) =>
    fetch(`${at.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: textOf(body),
    });
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function answerOf(response: Promise<Response>): Promise<unknown> {
  const { status } = await response;
  expect(status).toBe(200);
  return (await response).json();
}

async function create(send: Send, content: string): Promise<z.infer<typeof message>> {
  const answer = await answerOf(send({ query: CREATE, variables: { content } }));
  return created.parse(answer).data.createMessage;
}

async function list(send: Send, variables: Record<string, unknown> = {}) {
  return page.parse(await answerOf(send({ query: LIST, variables }))).data.listMessages;
}

describe('who calls', () => {
  const body = { query: '{ listMessages { nextToken } }' };
  const good = { data: { listMessages: { nextToken: null } } };

  test('may sign with credentials of the identity pool', async () => {
    expect(await answerOf(signedBy(randomUUID())(body))).toEqual(good);
  });

  test.each(['', 'Bearer ', 'bearer '])('may send an ID or access token after "%s"', async (prefix) => {
    const grant = services.grant();
    for (const token of [
      await services.tokens.mintIdToken(grant, null),
      await services.tokens.mintAccessToken(grant),
    ]) {
      expect(await answerOf(withToken(prefix + token)(body))).toEqual(good);
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
      () => fetch(`${services.origin}/graphql`, { method: 'POST', body: textOf(body) }),
      401,
      'UnauthorizedException',
      /^Valid authorization header not provided\.$/,
    ],
    [
      'no token',
      () => withToken('nonsense')(body),
      401,
      'UnauthorizedException',
      /^Unable to parse JWT token\.$/,
    ],
    [
      'a token changed',
      async () => withToken((await idToken()).replace(/.{8}$/, 'AAAAAAAA'))(body),
      401,
      'UnauthorizedException',
      /^You are not authorized to make this call\.$/,
    ],
    [
      'a token expired',
      async () => {
        const token = await idToken();
        services.time.now = later;
        return withToken(token)(body);
      },
      401,
      'UnauthorizedException',
      /^Token has expired\.$/,
    ],
    [
      'a key that nobody issued, as after a restart',
      () =>
        signedBy('x', services, { key: { ...services.accessKeys.issue('id', 'x'), accessKeyId: 'ASIAX' } })(
          body,
        ),
      403,
      'UnrecognizedClientException',
      /^The security token included in the request is invalid\.$/,
    ],
    [
      'the session token of another key',
      () =>
        signedBy('x', services, {
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
        return signedBy('x', services, { key, now: later })(body);
      },
      403,
      'ExpiredTokenException',
      /^The security token included in the request is expired$/,
    ],
    [
      'a clock ten minutes late',
      () => signedBy('x', services, { now: NOW - 600_000 })(body),
      403,
      'InvalidSignatureException',
      /^Signature expired: 20261121T095000Z is now earlier than 20261121T095500Z \(20261121T100000Z - 5 min\.\)$/,
    ],
    [
      'a signature for another region',
      () => signedBy('x', services, { region: 'eu-west-1' })(body),
      403,
      'InvalidSignatureException',
      /^Credential should be scoped to a valid region/,
    ],
    [
      'a signature for another service',
      () => signedBy('x', services, { service: 'execute-api' })(body),
      403,
      'InvalidSignatureException',
      /^Credential should be scoped to correct service: 'appsync'/,
    ],
    [
      'half a signature',
      () => withToken('AWS4-HMAC-SHA256 Credential=ASIAX')(body),
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
  });

  test("may not use a guest's credentials for anything", async () => {
    const answer = await answerOf(signedBy(null)({ query: CREATE, variables: { content: 'Hello' } }));
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
    expect((await list(signedBy(randomUUID()))).items).toEqual([]);
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
        [signedBy(randomUUID(), restricted), iam],
        [withToken(token, restricted), userPool],
      ];
      for (const [send, denied] of callers) {
        const answer = await answerOf(send({ query: '{ listMessages { nextToken } }' }));
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
    const response = await signedBy(randomUUID())(body);
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
    const answer = await answerOf(signedBy(randomUUID())({ query }));
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
    const answer = await answerOf(signedBy(randomUUID())({ query, operationName: 'B' }));
    expect(answer).toEqual({ data: { b: 'Query' } });
  });
});

describe('messages', () => {
  test("are listed newest first, each with whether it is the caller's", async () => {
    const [ada, grace] = [signedBy(randomUUID()), signedBy(randomUUID())];
    const first = await create(ada, '  Hello 👋🏽  ');
    services.time.now += 1;
    const second = await create(grace, 'مرحبا');
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      content: 'Hello 👋🏽',
      createdAt: '2026-11-21T10:00:00.000Z',
      mine: true,
    });
    expect(await list(ada)).toEqual({ items: [{ ...second, mine: false }, first], nextToken: null });
    expect(await list(grace)).toEqual({ items: [second, { ...first, mine: false }], nextToken: null });
  });

  test('are the same to somebody who signs and who sends a token', async () => {
    const grant = services.grant();
    const message = await create(signedBy(grant.sub), 'Mine');
    const { items } = await list(withToken(await services.tokens.mintAccessToken(grant)));
    expect(items).toEqual([message]);
  });

  test('come in pages that stay in step while messages come and go', async () => {
    const send = signedBy(randomUUID());
    const contents = Array.from({ length: 25 }, (_, index) => `Message ${index}`);
    const messages = [];
    for (const content of contents) messages.unshift(await create(send, content));
    const first = await list(send);
    expect(first.items).toEqual(messages.slice(0, 20));
    await create(send, 'A later one');
    await answerOf(send({ query: DELETE, variables: { id: messages[19]?.id } }));
    const second = await list(send, { nextToken: first.nextToken });
    expect(second).toEqual({ items: messages.slice(20), nextToken: null });
    expect((await list(send, { limit: 50 })).items).toHaveLength(25);
  });

  const refused: [
    what: string,
    body: { query: string; variables: Record<string, unknown> },
    message: string,
  ][] = [
    ['no text', { query: CREATE, variables: { content: '' } }, 'content must have 1 to 500 characters.'],
    [
      'white space',
      { query: CREATE, variables: { content: ' \n\u00a0\u3000' } },
      'content must have 1 to 500 characters.',
    ],
    [
      '501 characters',
      { query: CREATE, variables: { content: '🎈'.repeat(501) } },
      'content must have 1 to 500 characters.',
    ],
    ['a page of none', { query: LIST, variables: { limit: 0 } }, 'limit must be 1 to 50.'],
    ['a page of 51', { query: LIST, variables: { limit: 51 } }, 'limit must be 1 to 50.'],
    [
      'a token that it never gave',
      { query: LIST, variables: { nextToken: 'YWJj' } },
      'Invalid pagination token given.',
    ],
  ];

  test.each(refused)('are not to be had or made with %s', async (_, body, text) => {
    const send = signedBy(randomUUID());
    expect(await answerOf(send(body))).toMatchObject({
      data: null,
      errors: [{ errorType: 'ValidationError', errorInfo: null, message: text }],
    });
    expect((await list(send)).items).toEqual([]);
  });

  test('may have 500 characters, each a code point', async () => {
    const content = '🎈'.repeat(500);
    expect((await create(signedBy(randomUUID()), content)).content).toBe(content);
  });

  test('are deleted by their author alone', async () => {
    const [ada, grace] = [signedBy(randomUUID()), signedBy(randomUUID())];
    const { id, content } = await create(ada, 'Hers');
    const remove = { query: DELETE, variables: { id } };
    expect(await answerOf(grace(remove))).toMatchObject({
      data: null,
      errors: [{ path: ['deleteMessage'], errorType: 'Unauthorized' }],
    });
    expect((await list(ada)).items).toHaveLength(1);
    expect(await answerOf(ada(remove))).toEqual({ data: { deleteMessage: { id, content, mine: true } } });
    expect((await list(ada)).items).toEqual([]);
    expect(await answerOf(ada(remove))).toMatchObject({ data: null, errors: [{ errorType: 'NotFound' }] });
  });

  test('are a thousand at most, the oldest go', async () => {
    for (let index = 1; index <= 1_002; index += 1) services.messages.add('ada', String(index));
    let before: number | null = null;
    const contents: string[] = [];
    do {
      const { messages, next } = services.messages.page(50, before);
      contents.push(...messages.map(({ content }) => content));
      before = next;
    } while (before !== null);
    expect(contents).toHaveLength(1_000);
    expect([contents.at(0), contents.at(-1)]).toEqual(['1002', '3']);
  });

  test('outlive a restart, credentials do not', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'messages-'));
    try {
      const sub = randomUUID();
      const before = await startAwsServices({ directory });
      const key = before.accessKeys.issue('id', sub);
      const message = await create(signedBy(sub, before, { key }), 'Still here');
      await before.close();
      const after = await startAwsServices({ directory });
      const refusal = await signedBy(sub, after, { key })({ query: LIST });
      expect(refusal.headers.get('x-amzn-errortype')).toBe('UnrecognizedClientException');
      expect((await list(signedBy(sub, after))).items).toEqual([message]);
      await after.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

test('a schema with a field that nothing resolves is not served', async () => {
  await expect(startAwsServices({ schema: 'type Query { weather: String }' })).rejects.toThrow(
    'Query.weather has no resolver.',
  );
});

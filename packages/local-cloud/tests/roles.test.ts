import type { LocalCloud } from '@tenfold/local-cloud';
import { decodeJwt } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient } from '../../../tests/support/sign-in/oauth-client.ts';
import { readJson, type Send, signedSender, tokenSender } from './support/graphql-requests.ts';
import { createInfra } from './support/infra.ts';
import { ann, callAws, signUpAtClient } from './support/signed-up-client.ts';

const SCHEMA = `
type Query { listMessages: String @aws_iam @aws_cognito_user_pools, report: String @aws_iam @aws_cognito_user_pools(cognito_groups: ["chiefs"]) }
type Mutation { createMessage: String @aws_iam }`;
const RESOLVER = `
export function request() { return {}; }
export function response(ctx) { return ctx.identity.userArn ?? (ctx.identity.groups ?? ['none']).join(); }
`;
const SKIPPED = `import { runtime } from '@aws-appsync/utils';
export function request() { runtime.earlyReturn(); }
export function response() {}
`;
const fields = ['Query.listMessages', 'Query.report', 'Mutation.createMessage'];
const resolvers = Object.fromEntries(
  fields.flatMap((field) => [
    [`${field}.js`, RESOLVER],
    [`${field}.1.js`, SKIPPED],
  ]),
);

const role = (id: string, path: string) => `
  ${id}:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: call
          PolicyDocument:
            Statement:
              - Effect: Allow
                Action: [appsync:GraphQL]
                Resource: !Sub \${GraphQLApi.Arn}${path}
`;
const group = (name: string, roleId: string, precedence: string) => `
  ${name}Group:
    Type: AWS::Cognito::UserPoolGroup
    Properties:
      UserPoolId: !Ref UserPool
      GroupName: ${name}
      RoleArn: !GetAtt ${roleId}.Arn
      ${precedence}
`;
const RESOURCES = [
  role('ChiefRole', '/types/Query/fields/*'),
  role('EditorRole', '/types/Mutation/*'),
  group('chiefs', 'ChiefRole', 'Precedence: 1'),
  group('editors', 'EditorRole', 'Precedence: 2'),
  group('authors', 'EditorRole', 'Precedence: 1'),
  group('readers', 'ChiefRole', ''),
].join('');
const arnOf = (id: string) => `arn:aws:iam::123456789012:role/tenfold-${id}`;

let cloud: LocalCloud;

const MAPPINGS = `      RoleMappings:
        userPool:
          Type: Token
          AmbiguousRoleResolution: AuthenticatedRole
          IdentityProvider: !Sub \${UserPool.ProviderName}:\${UserPoolClient}
`;

/** Starts a local cloud. Without `ambiguous`, its identity pool ignores the roles in tokens. */
async function start(ambiguous?: 'AuthenticatedRole' | 'Deny'): Promise<void> {
  const replaced = ambiguous
    ? { 'AmbiguousRoleResolution: AuthenticatedRole': `AmbiguousRoleResolution: ${ambiguous}` }
    : { [MAPPINGS]: '' };
  const infra = createInfra({ schema: SCHEMA, resolvers, resources: RESOURCES, replaced });
  const started = await startLocalCloud({ infra });
  onTestFinished(() => started.close());
  cloud = started;
}

const changeGroup = (operation: string, GroupName: string) =>
  callAws(cloud, 'cognito-idp', operation, {
    UserPoolId: cloud.environment().COGNITO_USER_POOL_ID,
    Username: ann.email,
    GroupName,
  });

/** Signs up, adds the user to the groups, and returns new tokens. */
async function memberOf(...groups: string[]): Promise<{ idToken: string; accessToken: string }> {
  const { client, refreshToken } = await signUpAtClient(cloud);
  for (const name of groups) expect((await changeGroup('AdminAddUserToGroup', name)).status).toBe(200);
  const { id_token: idToken = '', access_token: accessToken = '' } = (await client.refresh(refreshToken))
    .body;
  return { idToken, accessToken };
}

/** Signs with credentials for the token. */
const signer = (idToken?: string, roleArn?: string) =>
  signedSender({ cloud, now: Date.now() }, idToken, roleArn);

/** Returns the fields that a sender may call, and the id of the role in its ARN. */
async function access(send: Send): Promise<{ fields: string[]; role: string | undefined }> {
  const allowed: string[] = [];
  let arn = '';
  for (const name of fields) {
    const [type = '', field = ''] = name.split('.');
    const response = await send({ query: `${type.toLowerCase()} { ${field} }` });
    const body = (await response.json()) as { data?: Record<string, string> };
    if (response.status === 401) continue;
    allowed.push(field);
    arn = body.data?.[field] ?? '';
  }
  return { fields: allowed, role: /assumed-role\/tenfold-(\w+)\/CognitoIdentityCredentials$/.exec(arn)?.[1] };
}

describe('the tokens of a user', () => {
  const claimsOf = (token: string) =>
    Object.fromEntries(
      Object.entries(decodeJwt(token)).filter(([name]) => /^cognito:(?:groups|roles|preferred)/.test(name)),
    );

  test('have no claims about groups and roles without a group', async () => {
    await start();
    const { idToken, accessToken } = await memberOf();
    expect([claimsOf(idToken), claimsOf(accessToken)]).toEqual([{}, {}]);
  });

  test('name the groups, their roles and the role of the group with the lowest precedence', async () => {
    await start();
    const { idToken, accessToken } = await memberOf('readers', 'editors');
    expect(claimsOf(accessToken)).toEqual({ 'cognito:groups': ['readers', 'editors'] });
    expect(claimsOf(idToken)).toEqual({
      'cognito:groups': ['readers', 'editors'],
      'cognito:roles': [arnOf('ChiefRole'), arnOf('EditorRole')],
      'cognito:preferred_role': arnOf('EditorRole'),
    });
  });

  test('name no preferred role if the lowest precedence belongs to two roles', async () => {
    await start();
    const { idToken } = await memberOf('chiefs', 'authors');
    expect(claimsOf(idToken)).not.toHaveProperty('cognito:preferred_role');
  });

  test('no longer name a group that the user has left', async () => {
    await start();
    await memberOf('chiefs');
    await changeGroup('AdminRemoveUserFromGroup', 'chiefs');
    expect(cloud.users.find(ann.email)?.groups).toEqual([]);
    expect((await changeGroup('AdminAddUserToGroup', 'owners')).body.__type).toBe(
      'ResourceNotFoundException',
    );
  });
});

describe('a signed request', () => {
  test('may call what the role of members allows, whatever the groups, without a role mapping', async () => {
    await start();
    const { idToken } = await memberOf('chiefs');
    expect(await access(await signer(idToken))).toEqual({
      fields: ['listMessages', 'createMessage'],
      role: 'MemberRole',
    });
  });

  test('may call what the preferred role allows, which replaces the role of members', async () => {
    await start('AuthenticatedRole');
    const { idToken } = await memberOf('chiefs', 'editors');
    expect(await access(await signer(idToken))).toEqual({
      fields: ['listMessages', 'report'],
      role: 'ChiefRole',
    });
  });

  test('may ask for another role of its groups', async () => {
    await start('AuthenticatedRole');
    const { idToken } = await memberOf('chiefs', 'editors');
    expect(await access(await signer(idToken, arnOf('EditorRole')))).toEqual({
      fields: ['createMessage'],
      role: 'EditorRole',
    });
    await expect(signer(idToken, arnOf('MemberRole'))).rejects.toThrow(
      /^The ambiguous role mapping rules for: /,
    );
  });

  test('has the role of members, or is denied, if no role is preferred', async () => {
    await start('AuthenticatedRole');
    expect((await access(await signer((await memberOf('chiefs', 'authors')).idToken))).role).toBe(
      'MemberRole',
    );
    await start('Deny');
    await expect(signer((await memberOf()).idToken)).rejects.toThrow(/denied this request$/);
  });

  test('of a guest may call nothing', async () => {
    await start('AuthenticatedRole');
    expect((await access(await signer())).fields).toEqual([]);
  });
});

test('a request with a token may call the fields that its groups are named for', async () => {
  await start();
  const { accessToken } = await memberOf('readers');
  const send = (token: string) => readJson(tokenSender(cloud, token)({ query: '{ listMessages report }' }));
  expect(await send(accessToken)).toMatchObject({
    data: { listMessages: 'readers', report: null },
    errors: [{ errorType: 'Unauthorized', message: 'Not Authorized to access report on type Query' }],
  });
  await start();
  expect(await send((await memberOf('chiefs')).accessToken)).toEqual({
    data: { listMessages: 'chiefs', report: 'chiefs' },
  });
});

test('a configured administrator can sign in, also after a reset', async () => {
  const administrator = { email: 'boss@example.com', password: 'one of the demo' };
  const started = await startLocalCloud({ administrator });
  onTestFinished(() => started.close());
  for (const isReset of [false, true]) {
    if (isReset) await started.reset();
    const client = createOAuthClient(started);
    const callback = await createHostedLoginVisitor(started).signIn(client.authorizeUrl(), administrator);
    const { id_token: idToken = '' } = (await client.redeem(callback)).body;
    expect(decodeJwt(idToken)).toMatchObject({
      email: administrator.email,
      'cognito:groups': ['admins'],
      'cognito:preferred_role': arnOf('AdminRole'),
    });
  }
});

test('what the local cloud does not support in a template stops the start', async () => {
  const denial = role('ChiefRole', '/*').replace('Effect: Allow', 'Effect: Deny');
  for (const [changes, problem] of [
    [
      { resources: '  Second:\n    Type: AWS::DynamoDB::Table\n    Properties: {}\n' },
      /There must be one AWS::DynamoDB::Table\./,
    ],
    [
      { resources: denial + group('chiefs', 'ChiefRole', '') },
      /at ChiefRole\.Policies\[0\]\.PolicyDocument\.Statement\[0\]\.Effect$/,
    ],
    [
      { replaced: { 'RequireNumbers: false': 'RequireNumbers: true' } },
      /The template: .*\n.*at Policies\.PasswordPolicy\.RequireNumbers$/,
    ],
  ] as const) {
    await expect(startLocalCloud({ infra: createInfra(changes) })).rejects.toThrow(problem);
  }
});

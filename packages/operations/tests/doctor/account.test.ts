/** The checks with AWS credentials, by the real command against stand-ins of the operations that describe settings. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { rootFieldsOf } from '../../doctor/account/schema-comparison.ts';
import {
  type AwsAccountSettings,
  type AwsSettingsServer,
  startAwsAccountSettings,
} from '../support/aws-account-settings.ts';
import { type Diagnosis, runDoctor, startConfiguredCloud } from '../support/doctor-process.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SCHEMA = readFileSync('schema.graphql', 'utf8');
const MEMBER_ROLE = 'arn:aws:iam::123456789012:role/tenfold-member';
const GUEST_ROLE = 'arn:aws:iam::123456789012:role/tenfold-guest';
const FIELDS = rootFieldsOf(SCHEMA).map(({ type, field }) => `${type}.${field}`);
const fieldsOf = (type: 'Query' | 'Mutation') => FIELDS.filter((name) => name.startsWith(`${type}.`));
const DATA_SOURCE_ROLE = 'arn:aws:iam::123456789012:role/tenfold-data-source';
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function';
const TABLE_PERMISSIONS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'].map(
  (action) => `dynamodb:${action}`,
);
const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

let cloud: LocalCloud;
let environment: Record<string, string>;
const servers: AwsSettingsServer[] = [];

beforeAll(async () => {
  const started = await startConfiguredCloud();
  cloud = started.cloud;
  environment = { ...started.environment, ...CREDENTIALS };
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await cloud.close();
});

/** The account of an operator who has followed the documentation. */
function healthyAccount(): AwsAccountSettings {
  const { COGNITO_USER_POOL_ID, COGNITO_ISSUER, COGNITO_CLIENT_ID, COGNITO_CLIENT_SECRET, APP_ORIGIN } =
    environment;
  const provider = COGNITO_ISSUER?.replace('http://', '');
  return {
    userPool: {
      UserPoolTier: 'ESSENTIALS',
      DeletionProtection: 'ACTIVE',
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
      SchemaAttributes: [{ Name: 'email', Required: true, Mutable: true }],
      EmailConfiguration: {
        EmailSendingAccount: 'DEVELOPER',
        SourceArn: 'arn:aws:ses:us-east-1:123456789012:identity/example.com',
      },
    },
    email: {
      account: {
        ProductionAccessEnabled: true,
        SendingEnabled: true,
        SendQuota: { Max24HourSend: 50_000, SentLast24Hours: 12 },
      },
      identity: { VerifiedForSendingStatus: true },
    },
    functionPolicies: {},
    hasRoleMappings: false,
    resolvers: [...FIELDS],
    dataSource: {
      name: 'Messages',
      type: 'AMAZON_DYNAMODB',
      serviceRoleArn: DATA_SOURCE_ROLE,
      dynamodbConfig: { tableName: 'tenfold-messages', awsRegion: 'us-east-1' },
    },
    table: {
      description: {
        TableStatus: 'ACTIVE',
        DeletionProtectionEnabled: true,
        GlobalSecondaryIndexes: [{ IndexName: 'byFeed' }, { IndexName: 'byAuthor' }],
      },
      recovery: 'ENABLED',
    },
    trust: {
      'tenfold-member': trustOf('authenticated'),
      'tenfold-guest': trustOf('unauthenticated'),
      'tenfold-data-source': {
        Statement: { Effect: 'Allow', Principal: { Service: 'appsync.amazonaws.com' } },
      },
    },
    userPoolClient: {
      ClientSecret: COGNITO_CLIENT_SECRET,
      RefreshTokenValidity: 365,
      AccessTokenValidity: 60,
      IdTokenValidity: 60,
      TokenValidityUnits: { RefreshToken: 'days', AccessToken: 'minutes', IdToken: 'minutes' },
      ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
      SupportedIdentityProviders: ['COGNITO'],
      CallbackURLs: [`${APP_ORIGIN}/auth/callback`],
      LogoutURLs: [`${APP_ORIGIN}/`],
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      AllowedOAuthFlowsUserPoolClient: true,
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
    },
    domain: { UserPoolId: COGNITO_USER_POOL_ID, Status: 'ACTIVE', ManagedLoginVersion: 2 },
    branding: { ManagedLoginBrandingId: '1f0b7a52-0000-4000-8000-000000000000' },
    identityPool: {
      IdentityPoolId: environment.COGNITO_IDENTITY_POOL_ID,
      AllowUnauthenticatedIdentities: true,
      AllowClassicFlow: false,
      CognitoIdentityProviders: [
        { ProviderName: provider, ClientId: COGNITO_CLIENT_ID, ServerSideTokenCheck: true },
      ],
    },
    roles: { authenticated: MEMBER_ROLE, unauthenticated: GUEST_ROLE },
    api: {
      apiId: 'abcdefghijklmnopqrstuvwxyz',
      arn: 'arn:aws:appsync:us-east-1:123456789012:apis/abcdefghijklmnopqrstuvwxyz',
      authenticationType: 'AMAZON_COGNITO_USER_POOLS',
      userPoolConfig: {
        userPoolId: COGNITO_USER_POOL_ID,
        awsRegion: 'us-east-1',
        defaultAction: 'ALLOW',
        appIdClientRegex: COGNITO_CLIENT_ID,
      },
      additionalAuthenticationProviders: [{ authenticationType: 'AWS_IAM' }],
      introspectionConfig: 'DISABLED',
      uris: { GRAPHQL: environment.GRAPHQL_ENDPOINT },
    },
    schema: SCHEMA,
    permissions: {
      [MEMBER_ROLE]: FIELDS,
      [DATA_SOURCE_ROLE]: [...TABLE_PERMISSIONS, 'dynamodb:Query on indexes'],
    },
    denied: [],
  };
}

/** The trust policy of a role for visitors of an identity pool. */
function trustOf(visitors: string, pool = environment.COGNITO_IDENTITY_POOL_ID) {
  return {
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: 'cognito-identity.amazonaws.com' },
        Condition: {
          StringEquals: { 'cognito-identity.amazonaws.com:aud': pool },
          'ForAnyValue:StringLike': { 'cognito-identity.amazonaws.com:amr': visitors },
        },
      },
    ],
  };
}

/** Runs the command against an account with changed settings. */
async function diagnose(
  change: (account: AwsAccountSettings) => void = () => {},
  variables: Record<string, string> = {},
): Promise<Diagnosis & { calls: string[] }> {
  const account = healthyAccount();
  change(account);
  const server = await startAwsAccountSettings(account);
  servers.push(server);
  const diagnosis = await runDoctor({ ...environment, AWS_ENDPOINT_URL: server.origin, ...variables });
  return { ...diagnosis, calls: server.calls };
}

/** An account with wrong settings that do not hide each other, and what the output must show for each of them. */
type Misconfiguration = {
  title: string;
  change: (account: AwsAccountSettings) => void;
  variables?: Record<string, string>;
  exitCode: 0 | 1;
  shows: Record<string, string | readonly string[]>;
};

const misconfigurations: readonly Misconfiguration[] = [
  {
    title: 'an app client made for another site',
    change: ({ userPoolClient }) =>
      Object.assign(userPoolClient, {
        ClientSecret: 'the-secret-of-a-client-that-was-created-again',
        CallbackURLs: ['https://other.example/auth/callback'],
        LogoutURLs: [],
        AllowedOAuthFlows: ['implicit'],
        AllowedOAuthScopes: ['openid'],
        SupportedIdentityProviders: [],
        EnableTokenRevocation: false,
        ReadAttributes: ['email'],
      }),
    exitCode: 1,
    shows: {
      'client-secret-differs': 'Set COGNITO_CLIENT_SECRET',
      'client-callback-url-missing': '/auth/callback to CallbackURLs',
      'client-sign-out-url-missing': 'to LogoutURLs',
      'client-code-grant-missing': 'AllowedOAuthFlows to code',
      'client-implicit-grant': 'Remove implicit',
      'client-scopes-missing': 'Add email profile to AllowedOAuthScopes',
      'client-providers-missing': 'Add COGNITO to SupportedIdentityProviders',
      'client-revocation-off': 'EnableTokenRevocation',
      'client-read-attributes': 'email_verified, name, family_name',
    },
  },
  {
    title: 'an app client with the default settings of Cognito',
    change: ({ userPoolClient }) =>
      Object.assign(userPoolClient, {
        RefreshTokenValidity: 30,
        AccessTokenValidity: 24,
        IdTokenValidity: 24,
        TokenValidityUnits: { AccessToken: 'hours', IdToken: 'hours' },
        RefreshTokenRotation: undefined,
        PreventUserExistenceErrors: 'LEGACY',
      }),
    exitCode: 0,
    shows: {
      'client-refresh-validity': 'Set RefreshTokenValidity to 365 days, or SESSION_MAX_DAYS=30',
      'client-token-validity': 'Set AccessTokenValidity to 60 minutes',
      'client-rotation-off': 'Enable RefreshTokenRotation',
      'client-reveals-users': 'PreventUserExistenceErrors',
    },
  },
  {
    title: 'rotation without a grace period, the other refresh operation, and a domain that is being created',
    change({ userPoolClient, domain }) {
      userPoolClient.RefreshTokenRotation = { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 };
      domain.Status = 'CREATING';
    },
    variables: { COGNITO_REFRESH_OPERATION: 'InitiateAuth' },
    exitCode: 1,
    shows: {
      'client-rotation-grace': 'Set RetryGracePeriodSeconds',
      'client-refresh-operation': 'Set COGNITO_REFRESH_OPERATION=GetTokensFromRefreshToken',
      'domain-not-active': 'status CREATING',
    },
  },
  {
    title: 'settings of the identity pool and the API that differ from the environment',
    change(account) {
      account.domain = {};
      account.identityPool.AllowUnauthenticatedIdentities = false;
      account.identityPool.AllowClassicFlow = true;
      account.identityPool.CognitoIdentityProviders = [];
      account.roles = {};
      account.api.additionalAuthenticationProviders = [{ authenticationType: 'API_KEY' }];
      account.api.userPoolConfig = {
        userPoolId: 'us-east-1_Other',
        awsRegion: 'us-east-1',
        defaultAction: 'ALLOW',
      };
      account.api.introspectionConfig = 'ENABLED';
      account.schema = SCHEMA.replace(/deleteMessage\(id: ID!\)/, 'removeMessage(id: ID!)');
    },
    exitCode: 1,
    shows: {
      'domain-not-found': 'set COGNITO_DOMAIN',
      'pool-guests-not-allowed': 'Set COGNITO_ALLOW_GUESTS=false',
      'pool-provider-missing': 'to CognitoIdentityProviders',
      'pool-classic-flow': 'AllowClassicFlow',
      'pool-member-role-missing': 'Set the authenticated role',
      'api-auth-mode-missing': 'Add the authorization mode AWS_IAM',
      'api-of-other-user-pool': 'Set the user pool of the API',
      'api-key-enabled': 'Remove the authorization mode API_KEY',
      'api-introspection-enabled': 'IntrospectionConfig',
      'schema-differs': 'Mutation.deleteMessage is missing',
    },
  },
  {
    title: 'roles with the wrong permissions, and a domain of another user pool',
    change(account) {
      account.domain.UserPoolId = 'us-east-1_Other';
      account.permissions = {
        ...account.permissions,
        [MEMBER_ROLE]: fieldsOf('Query'),
        [GUEST_ROLE]: fieldsOf('Query'),
      };
      account.api.userPoolConfig = {
        userPoolId: environment.COGNITO_USER_POOL_ID,
        appIdClientRegex: 'another',
      };
      account.schema = SCHEMA.replace('type Message @aws_iam', 'type Message');
      account.identityPool.CognitoIdentityProviders = [
        {
          ProviderName: environment.COGNITO_ISSUER?.replace('http://', ''),
          ClientId: environment.COGNITO_CLIENT_ID,
          ServerSideTokenCheck: false,
        },
      ];
    },
    exitCode: 1,
    shows: {
      'domain-of-other-user-pool': 'Set COGNITO_DOMAIN',
      'member-permission-missing': [
        `may not call ${fieldsOf('Mutation').join(', ')}`,
        'policy of the role tenfold-member',
      ],
      'guest-permission': 'policy of the role tenfold-guest',
      'api-rejects-client': 'Set AppIdClientRegex',
      'schema-differs': 'Message.id is',
      'pool-token-check-off': 'Set ServerSideTokenCheck',
    },
  },
  {
    title: 'managed login without a branding style, and guests without a role',
    change(account) {
      account.branding = null;
      account.roles = { authenticated: MEMBER_ROLE };
    },
    exitCode: 1,
    shows: {
      'branding-missing': 'Create a branding style',
      'pool-guest-role-missing': 'Set the unauthenticated role',
    },
  },
  {
    title: 'the classic hosted UI, and guests that the site does not use',
    change: ({ domain }) => Object.assign(domain, { ManagedLoginVersion: 1 }),
    variables: { COGNITO_ALLOW_GUESTS: 'false' },
    exitCode: 0,
    shows: {
      'domain-classic-login': 'Set ManagedLoginVersion of the domain to 2',
      'pool-guests-unused': 'Set AllowUnauthenticatedIdentities of the identity pool to false',
    },
  },
  {
    title: 'a user pool without sign-up and recovery, which sends its codes itself',
    change: ({ userPool }) =>
      Object.assign(userPool ?? {}, {
        UserPoolTier: 'LITE',
        DeletionProtection: 'INACTIVE',
        UsernameAttributes: [],
        UsernameConfiguration: undefined,
        AutoVerifiedAttributes: [],
        AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'admin_only', Priority: 1 }] },
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
        EmailConfiguration: { EmailSendingAccount: 'COGNITO_DEFAULT' },
      }),
    exitCode: 1,
    shows: {
      'sign-up-disabled': 'Nobody can sign up',
      'pool-without-email-sign-in': 'email in UsernameAttributes',
      'pool-email-not-verified': 'Add email to AutoVerifiedAttributes',
      'pool-recovery-off': 'Add verified_email to AccountRecoverySetting',
      'pool-case-sensitive': 'CaseSensitive false',
      'pool-feature-plan': 'Set UserPoolTier of the user pool to ESSENTIALS',
      'pool-deletion-protection-off': 'Set DeletionProtection',
      'email-daily-limit': 'about 50 a day for the whole AWS account',
    },
  },
  {
    title: 'SES in its sandbox, with a used-up quota and an identity that is not verified',
    change({ email }) {
      email.identity = { VerifiedForSendingStatus: false };
      email.account = {
        ProductionAccessEnabled: false,
        SendingEnabled: false,
        SendQuota: { Max24HourSend: 200, SentLast24Hours: 200 },
      };
    },
    exitCode: 1,
    shows: {
      'ses-identity-not-verified': 'Verify example.com in SES in the region us-east-1',
      'ses-sandbox': 'Request production access',
      'ses-sending-paused': 'reputation dashboard',
      'ses-quota-used-up': 'The 200 mails',
    },
  },
  {
    title: 'triggers that Cognito may not call, and an attribute that the app client may not write',
    change(account) {
      const LambdaConfig = { PreSignUp: `${FUNCTION}:missing`, PostConfirmation: `${FUNCTION}:of-others` };
      Object.assign(account.userPool ?? {}, { LambdaConfig });
      account.functionPolicies = {
        [`${FUNCTION}:of-others`]: '{"Statement":[{"Principal":{"Service":"s3.amazonaws.com"}}]}',
      };
      account.userPoolClient.WriteAttributes = ['name'];
    },
    exitCode: 1,
    shows: {
      'trigger-not-callable': [
        'calls the function missing at PreSignUp',
        'calls the function of-others at PostConfirmation',
        'Permit lambda:InvokeFunction for cognito-idp.amazonaws.com',
      ],
      'client-write-attributes': 'A sign-up must fill in email',
    },
  },
  {
    title: 'a member role of an earlier identity pool, a guest role for members, and role mappings',
    change(account) {
      account.trust['tenfold-member'] = trustOf(
        'authenticated',
        'us-east-1:0b1c2d3e-4f50-4172-8394-000000000000',
      );
      account.trust['tenfold-guest'] = trustOf('authenticated');
      account.hasRoleMappings = true;
    },
    exitCode: 1,
    shows: {
      'role-trusts-other-pool': 'The role tenfold-member does not trust the identity pool',
      'role-trusts-other-visitors': 'the role tenfold-guest is not for unauthenticated visitors',
      'pool-role-mappings': 'Remove the role mappings',
    },
  },
  {
    title: 'a private API that denies tokens, without a resolver, and with a data source whose role is gone',
    change(account) {
      Object.assign(account.api, { visibility: 'PRIVATE' });
      Object.assign(account.api.userPoolConfig ?? {}, { defaultAction: 'DENY' });
      account.resolvers = FIELDS.filter((field) => field !== 'Mutation.eraseMyMessages');
      delete account.trust['tenfold-data-source'];
    },
    exitCode: 1,
    shows: {
      'api-denies-members': 'Set DefaultAction',
      'api-private': 'VPC endpoint',
      'resolver-missing': 'no resolver for Mutation.eraseMyMessages',
      'data-source-role-missing': 'The role tenfold-data-source of the data source does not exist',
    },
  },
  {
    title: 'a data source role of another API, and a table that does not exist',
    change(account) {
      account.trust['tenfold-data-source'] = {
        Statement: {
          Effect: 'Allow',
          Principal: { Service: ['appsync.amazonaws.com'] },
          Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:appsync:us-east-1:123456789012:apis/other' } },
        },
      };
      account.table = null;
    },
    exitCode: 1,
    shows: {
      'data-source-role-not-assumable': 'does not allow this API to use it',
      'table-missing': 'The table tenfold-messages of the data source does not exist in us-east-1',
    },
  },
  {
    title: 'a data source role without the indexes, and a table that is neither usable nor protected',
    change(account) {
      account.permissions = { ...account.permissions, [DATA_SOURCE_ROLE]: TABLE_PERMISSIONS };
      account.table = {
        description: { TableStatus: 'INACCESSIBLE_ENCRYPTION_CREDENTIALS' },
        recovery: 'DISABLED',
      };
    },
    exitCode: 1,
    shows: {
      'data-source-permission-missing': 'may not do dynamodb:Query on the indexes in the table',
      'table-not-active': 'its KMS key cannot be used',
      'table-index-missing': 'no index byFeed, byAuthor',
      'table-recovery-off': 'Set PointInTimeRecoveryEnabled',
      'table-deletion-protection-off': 'Set DeletionProtectionEnabled',
    },
  },
];

describe('an account without problems', () => {
  it('is healthy in every check, and only reading operations are called', async () => {
    const { exitCode, output, codes, calls } = await diagnose();
    expect({ exitCode, codes, output }).toMatchObject({ exitCode: 0, codes: [] });
    expect(output).toContain('ok           Permissions: Signed-in visitors may call every field of the API');
    expect(calls.filter((call) => !/^(Describe|Get|List|Simulate)/.test(call))).toEqual([]);
  });
});

it('another region of the AWS SDK is harmless', async () => {
  const { exitCode, codes } = await diagnose(() => {}, { AWS_REGION: 'eu-west-1' });
  expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
});

it.concurrent.each(misconfigurations)(
  '$title: the problems with their fixes, and nothing else, are reported',
  async ({ change, variables, exitCode, shows }) => {
    const found = await diagnose(change, variables);
    const ofAccount = found.codes.filter((code) => code !== 'refresh-operation-not-allowed');
    expect([...new Set(ofAccount)].sort(), found.output).toEqual(Object.keys(shows).sort());
    for (const text of Object.values(shows).flat()) expect(found.output).toContain(text);
    expect(found.exitCode).toBe(exitCode);
  },
);

describe('credentials that do not suffice', () => {
  it('are named with the missing permission, and are no failure of the site', async () => {
    const { exitCode, output, codes } = await diagnose((account) => {
      account.denied = ['DescribeUserPoolClient', 'SimulatePrincipalPolicy'];
    });
    expect(output).toContain(
      'not checked  App client: The AWS credentials do not allow cognito-idp:DescribeUserPoolClient.',
    );
    expect(output).toContain(
      'not checked  Permissions: The AWS credentials do not allow iam:SimulatePrincipalPolicy.',
    );
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
  });

  it('of another account find no problem, but say that nothing is checked', async () => {
    const { exitCode, output, codes } = await diagnose((account) => {
      account.userPool = null;
      account.domain = {};
    });
    const sentence = 'The account of the AWS credentials does not have this user pool.';
    for (const check of ['User pool', 'E-mail', 'Triggers', 'Domain']) {
      expect(output).toContain(`not checked  ${check}: ${sentence}`);
    }
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
  });

  it.each([
    [
      'an expired sign-in',
      (folder: string) => {
        const expired = { accessToken: 'token', expiresAt: '2020-01-01T00:00:00Z', region: 'us-east-1' };
        const cache = join(folder, '.aws', 'sso', 'cache');
        mkdirSync(cache, { recursive: true });
        const name = createHash('sha1').update('https://example.awsapps.com/start').digest('hex');
        writeFileSync(join(cache, `${name}.json`), JSON.stringify(expired));
        writeFileSync(
          join(folder, 'config'),
          '[profile work]\nsso_start_url = https://example.awsapps.com/start\nsso_region = us-east-1\nsso_account_id = 123456789012\nsso_role_name = admin\n',
        );
        return { AWS_PROFILE: 'work', AWS_CONFIG_FILE: join(folder, 'config'), HOME: folder };
      },
      'The AWS sign-in has expired. Sign in again, for example with `aws sso login`.',
    ],
    [
      'a profile that does not exist',
      () => ({ AWS_PROFILE: 'missing' }),
      'The AWS profile missing, which AWS_PROFILE names, does not exist on this machine or has no credentials.',
    ],
  ])('are named: %s', async (_, prepare, sentence) => {
    const folder = mkdtempSync(join(tmpdir(), 'aws-profile-'));
    const { AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...without } = environment;
    const { exitCode, output } = await runDoctor({ ...without, ...prepare(folder) });
    rmSync(folder, { recursive: true });
    expect(output).toContain(`not checked  Settings: ${sentence}`);
    expect(exitCode).toBe(0);
  });
});

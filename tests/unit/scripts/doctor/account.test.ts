/** The checks with AWS credentials, by the real command against stand-ins of the operations that describe settings. */
import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../../local-cloud/start.ts';
import {
  type AwsAccountSettings,
  type AwsSettingsServer,
  startAwsAccountSettings,
} from '../../../support/doctor/aws-account-settings.ts';
import { type Diagnosis, runDoctor, SESSION_SECRETS } from '../../../support/doctor/doctor-process.ts';
import { freePort } from '../../../support/processes/site.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SCHEMA = readFileSync('schema.graphql', 'utf8');
/** The fields of a root type, as the doctor names them: `Query.listMessages`. */
const fieldsOf = (type: 'Query' | 'Mutation') =>
  parse(SCHEMA).definitions.flatMap((definition) =>
    definition.kind === 'ObjectTypeDefinition' && definition.name.value === type
      ? (definition.fields ?? []).map(({ name }) => `${type}.${name.value}`)
      : [],
  );
const MEMBER_ROLE = 'arn:aws:iam::123456789012:role/tenfold-member';
const GUEST_ROLE = 'arn:aws:iam::123456789012:role/tenfold-guest';
const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

let cloud: LocalCloud;
let environment: Record<string, string>;
const servers: AwsSettingsServer[] = [];

beforeAll(async () => {
  cloud = await startLocalCloud();
  const appOrigin = `http://localhost:${await freePort()}`;
  environment = {
    APP_ORIGIN: appOrigin,
    SESSION_SECRETS,
    ...CREDENTIALS,
    ...cloud.environment({ appOrigin }),
  };
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
    userPoolClient: {
      UserPoolId: COGNITO_USER_POOL_ID,
      ClientId: COGNITO_CLIENT_ID,
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
      IdentityPoolName: 'tenfold',
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
    permissions: { [MEMBER_ROLE]: [...fieldsOf('Query'), ...fieldsOf('Mutation')] },
    denied: [],
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
  shows: Record<string, string>;
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
    title: 'rotation without a grace period, and the other refresh operation',
    change: ({ userPoolClient }) =>
      Object.assign(userPoolClient, {
        RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 },
      }),
    variables: { COGNITO_REFRESH_OPERATION: 'InitiateAuth' },
    exitCode: 1,
    shows: {
      'client-rotation-grace': 'Set RetryGracePeriodSeconds',
      'client-refresh-operation': 'Set COGNITO_REFRESH_OPERATION=GetTokensFromRefreshToken',
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
      account.permissions = { [MEMBER_ROLE]: fieldsOf('Query'), [GUEST_ROLE]: fieldsOf('Query') };
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
      'member-permission-missing': `may not call ${fieldsOf('Mutation').join(', ')}`,
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
    title: 'a domain that is being created',
    change: ({ domain }) => Object.assign(domain, { Status: 'CREATING' }),
    exitCode: 1,
    shows: { 'domain-not-active': 'status CREATING' },
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

describe.concurrent.each(misconfigurations)('$title', ({ change, variables, exitCode, shows }) => {
  let diagnosis: ReturnType<typeof diagnose>;
  beforeAll(() => {
    diagnosis = diagnose(change, variables);
    return diagnosis;
  });

  it.each(Object.entries(shows))('is reported as %s with its fix', async (code, text) => {
    const { codes, output } = await diagnosis;
    expect(codes).toContain(code);
    expect(output).toContain(text);
  });

  it(`ends with the exit code ${exitCode} and reports nothing else`, async () => {
    const found = await diagnosis;
    const ofAccount = found.codes.filter((code) => code !== 'refresh-operation-not-allowed');
    expect([...new Set(ofAccount)].sort()).toEqual(Object.keys(shows).sort());
    expect(found.exitCode).toBe(exitCode);
  });
});

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

  it('that are missing leave the account unchecked', async () => {
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...without } = environment;
    const { exitCode, output } = await runDoctor(without);
    expect(output).toContain('not checked  Settings: There are no AWS credentials.');
    expect(exitCode).toBe(0);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { parse } from 'graphql';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { groupNames } from '../../../app/pages.ts';
import { bundleResolver, RESOLVER_FILE } from '../../build/resolver-bundle.ts';
import { type Json, parseTemplate, prepareTemplate, readTemplate } from '../template.ts';

const template = readTemplate();
const text = prepareTemplate();
const prepared = parseTemplate(text);

function properties(id: string): Readonly<Record<string, Json>> {
  return resource(id).Properties;
}

function resource(id: string) {
  const found = template.Resources[id];
  if (found === undefined) throw new Error(`The template has no ${id}`);
  return found;
}

function idsOfType(type: string): string[] {
  return Object.keys(template.Resources).filter((id) => resource(id).Type === type);
}

const ref = (Ref: string) => ({ Ref });
const choice = (...branches: Json[]) => ({ 'Fn::If': branches });

describe('a deployment', () => {
  it('is accepted by the validator of AWS, which knows properties, references and conditions', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenfold-template-'));
    const file = join(folder, 'template.yaml');
    const engine = new RegoEngine();
    const problemsOf = (source: string) => {
      writeFileSync(file, source);
      const { diagnostics } = engine.validateStandard(new TemplateFile(file));
      return diagnostics
        .filter(({ severity }) => /FATAL|ERROR|WARN/.test(severity))
        .map(({ message }) => message);
    };
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(readFileSync('infra/template-bucket.yaml', 'utf8'))).toEqual([]);
    const wrong = text
      .replace('EnableTokenRevocation:', 'EnableRevocation:')
      .replace(/!If \[\s*AllowsGuests, !GetAtt GuestRole\.Arn.*/, '!GetAtt GuestRole.Arn');
    expect(problemsOf(wrong)).toEqual([
      expect.stringContaining('EnableRevocation'),
      expect.stringContaining("Reference to 'GuestRole' which is conditional"),
    ]);
    engine.free();
    rmSync(folder, { recursive: true });
  });
});

describe('the prepared template', () => {
  it('contains the code of every resolver and function, without comments and otherwise unchanged', () => {
    const options = { compilerOptions: { target: ts.ScriptTarget.ES2022, removeComments: true } };
    const print = (code: unknown) => ts.transpileModule(String(code), options).outputText;
    const files = Object.entries(template.Resources).flatMap(([id, { Properties }]) => {
      if (!Properties.CodeS3Location) return [];
      const code = prepared.Resources[id]?.Properties.Code;
      expect(print(code), id).toBe(
        print(bundleResolver(join('infra', String(Properties.CodeS3Location))).code),
      );
      expect(String(code), id).not.toMatch(/^ *\/[/*]/m);
      expect(Properties.Runtime, id).toEqual({ Name: 'APPSYNC_JS', RuntimeVersion: '1.0.0' });
      return Properties.CodeS3Location;
    });
    const named = readdirSync('infra/resolvers').filter((file) => RESOLVER_FILE.test(file));
    expect(files.sort()).toEqual(named.map((file) => `resolvers/${file}`).sort());
  });

  it('contains the schema without descriptions and comments', () => {
    const definition = String(prepared.Resources.GraphQLSchema?.Properties.Definition);
    // Only groups and the mutations of subscriptions are texts.
    expect(definition.replaceAll(/\((?:cognito_groups|mutations): \["\w+"(?:, "\w+")*\]\)/g, '')).not.toMatch(
      /["#]/,
    );
    const withoutDescriptions = (schema: string) =>
      JSON.stringify(parse(schema, { noLocation: true }), (key, value) =>
        key === 'description' ? undefined : value,
      );
    expect(withoutDescriptions(definition)).toBe(withoutDescriptions(readFileSync('schema.graphql', 'utf8')));
  });

  it('differs from the written one in nothing else', () => {
    const withoutFiles = (value: unknown) =>
      JSON.stringify(value, (key, item) =>
        /^(?:Code|Definition)(?:S3Location)?$/.test(key) ? undefined : item,
      );
    expect(withoutFiles(prepared)).toBe(withoutFiles(template));
  });
});

describe('the user pool', () => {
  it('signs in by e-mail address in any case, confirmed by a code', () => {
    expect(properties('UserPool')).toMatchObject({
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      VerificationMessageTemplate: { DefaultEmailOption: 'CONFIRM_WITH_CODE' },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  it('requires passwords of 12 characters, of any kinds', () => {
    expect(properties('UserPool').Policies).toEqual({
      PasswordPolicy: {
        MinimumLength: 12,
        RequireLowercase: false,
        RequireUppercase: false,
        RequireNumbers: false,
        RequireSymbols: false,
      },
    });
  });

  it('and the table are protected from deletion, and outlive the stack and their replacement', () => {
    expect(template.Parameters.DeletionProtection?.Default).toBe('true');
    expect(properties('UserPool').DeletionProtection).toEqual(choice('IsProtected', 'ACTIVE', 'INACTIVE'));
    expect(properties('MessagesTable').DeletionProtectionEnabled).toEqual(choice('IsProtected', true, false));
    for (const id of ['UserPool', 'MessagesTable']) {
      expect(resource(id)).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
  });

  it('and the table refer to nothing but parameters, so that a new stack can import them alone', () => {
    const source = JSON.stringify([resource('UserPool'), resource('MessagesTable')]);
    expect(source).not.toContain('Fn::GetAtt');
    const names = [...source.matchAll(/"Ref":"([\w:]+)"|\$\{([\w:.]+)\}/g)].map(
      ([, name, part]) => name ?? part ?? '',
    );
    const known = Object.keys(template.Parameters);
    expect(names.filter((name) => !name.startsWith('AWS::') && !known.includes(name))).toEqual([]);
  });

  it('measures threats with the feature plan Plus, or acts on them', () => {
    expect(properties('UserPool')).toMatchObject({
      UserPoolTier: choice('AuditsThreats', 'PLUS', choice('EnforcesThreatProtection', 'PLUS', 'ESSENTIALS')),
      UserPoolAddOns: {
        AdvancedSecurityMode: choice(
          'AuditsThreats',
          'AUDIT',
          choice('EnforcesThreatProtection', 'ENFORCED', 'OFF'),
        ),
      },
    });
    expect(resource('RiskConfiguration')).toMatchObject({
      Condition: 'EnforcesThreatProtection',
      Properties: {
        CompromisedCredentialsRiskConfiguration: { Actions: { EventAction: 'BLOCK' } },
        AccountTakeoverRiskConfiguration: { Actions: { HighAction: { EventAction: 'BLOCK' } } },
      },
    });
  });
});

describe('the app client', () => {
  it('rotates refresh tokens with a grace period of 60 s, and without the flow that rotation excludes', () => {
    expect(properties('UserPoolClient')).toMatchObject({
      RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
      ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
    });
  });

  it('issues tokens for 60 minutes, and refresh tokens for as long as a session of the site may last', () => {
    expect(properties('UserPoolClient')).toMatchObject({
      AccessTokenValidity: 60,
      IdTokenValidity: 60,
      RefreshTokenValidity: 365,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
  });

  it('is confidential and allows the authorization code flow only', () => {
    expect(properties('UserPoolClient')).toMatchObject({
      GenerateSecret: true,
      SupportedIdentityProviders: ['COGNITO'],
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile', 'aws.cognito.signin.user.admin'],
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    });
    // By default every scope can be read.
    expect(properties('UserPoolClient')).not.toHaveProperty('ReadAttributes');
  });

  it('has managed login, whose pages need a branding', () => {
    for (const id of idsOfType('AWS::Cognito::UserPoolDomain'))
      expect(properties(id).ManagedLoginVersion).toBe(2);
    expect(properties('HostedLoginBranding')).toEqual({
      UserPoolId: ref('UserPool'),
      ClientId: ref('UserPoolClient'),
      UseCognitoProvidedValues: true,
    });
  });
});

describe('the identity pool', () => {
  it('accepts tokens of the app client only, checks them with the user pool, and has no classic flow', () => {
    expect(properties('IdentityPool')).toMatchObject({
      AllowUnauthenticatedIdentities: choice('AllowsGuests', true, false),
      AllowClassicFlow: false,
      CognitoIdentityProviders: [
        {
          ClientId: ref('UserPoolClient'),
          ProviderName: { 'Fn::GetAtt': ['UserPool', 'ProviderName'] },
          ServerSideTokenCheck: true,
        },
      ],
    });
  });

  it.each([
    ['MemberRole', 'authenticated'],
    ['AdminRole', 'authenticated'],
    ['GuestRole', 'unauthenticated'],
  ])('is the only one that can give out %s, to %s identities', (role, amr) => {
    expect(properties(role).AssumeRolePolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Federated: 'cognito-identity.amazonaws.com' },
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: {
            StringEquals: { 'cognito-identity.amazonaws.com:aud': ref('IdentityPool') },
            'ForAnyValue:StringLike': { 'cognito-identity.amazonaws.com:amr': amr },
          },
        },
      ],
    });
  });

  it.each(['MemberRole', 'AdminRole'])('lets %s call fields of the API and nothing else', (role) => {
    expect(Object.keys(properties(role))).toEqual(['AssumeRolePolicyDocument', 'Policies']);
    expect(properties(role).Policies).toEqual([
      {
        PolicyName: 'call-graphql-api',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: 'appsync:GraphQL', Resource: expect.any(Array) }],
        },
      },
    ]);
    const resources = JSON.stringify(properties(role).Policies).match(/"Fn::Sub":"[^"]*"/g) ?? [];
    expect(resources.length).toBeGreaterThan(0);
    for (const arn of resources) {
      expect(arn).toMatch(
        /^"Fn::Sub":"\$\{GraphQLApi\.Arn\}\/types\/(?:Query|Mutation|Subscription)\/fields\/\w+"$/,
      );
    }
  });

  it('lets guests call nothing', () => {
    expect(Object.keys(properties('GuestRole'))).toEqual(['AssumeRolePolicyDocument']);
  });

  it('gives a member of a group the role of the group, and every other member MemberRole', () => {
    // The validator does not know the properties of a mapping.
    expect(properties('IdentityPoolRoles').RoleMappings).toEqual({
      userPool: {
        Type: 'Token',
        AmbiguousRoleResolution: 'AuthenticatedRole',
        IdentityProvider: { 'Fn::Sub': `\${UserPool.ProviderName}:\${UserPoolClient}` },
      },
    });
    const groups = idsOfType('AWS::Cognito::UserPoolGroup').map(properties);
    expect(groups.map(({ GroupName }) => GroupName).sort()).toEqual([...groupNames].sort());
    // Two groups of one precedence with different roles would leave a member of both with neither.
    expect(new Set(groups.map(({ Precedence }) => Precedence)).size).toBe(groups.length);
    expect(properties('AdminGroup')).toMatchObject({
      UserPoolId: ref('UserPool'),
      RoleArn: { 'Fn::GetAtt': ['AdminRole', 'Arn'] },
    });
  });
});

describe('the GraphQL API', () => {
  it('accepts the access token of the app client and signed requests, and no introspection', () => {
    expect(properties('GraphQLApi')).toMatchObject({
      AuthenticationType: 'AMAZON_COGNITO_USER_POOLS',
      UserPoolConfig: { DefaultAction: 'ALLOW', AppIdClientRegex: { 'Fn::Sub': `^\${UserPoolClient}$` } },
      AdditionalAuthenticationProviders: [{ AuthenticationType: 'AWS_IAM' }],
      IntrospectionConfig: 'DISABLED',
      QueryDepthLimit: 5,
    });
  });

  it('logs errors without contents of requests, for as long as the parameter says', () => {
    expect(properties('GraphQLApi').LogConfig).toMatchObject({
      FieldLogLevel: 'ERROR',
      ExcludeVerboseContent: true,
    });
    expect(properties('ApiLogGroup')).toEqual({
      LogGroupName: { 'Fn::Sub': `/aws/appsync/apis/\${GraphQLApi.ApiId}` },
      RetentionInDays: ref('LogRetentionDays'),
    });
  });

  it('runs the numbered files of a field as its pipeline, in their order', () => {
    const files = readdirSync('infra/resolvers');
    for (const id of idsOfType('AWS::AppSync::Resolver')) {
      const { TypeName, FieldName, CodeS3Location, Kind, PipelineConfig } = properties(id);
      const name = `${TypeName}.${FieldName}`;
      expect(resource(id).DependsOn).toBe('GraphQLSchema');
      expect(CodeS3Location).toBe(`resolvers/${name}.js`);
      const steps = files.filter((file) => file.startsWith(`${name}.`) && /\.\d+\.js$/.test(file)).sort();
      expect(Kind).toBe(steps.length > 0 ? 'PIPELINE' : 'UNIT');
      const run = [...JSON.stringify(PipelineConfig ?? null).matchAll(/"(\w+)","FunctionId"/g)].map(
        ([, step = '']) => properties(step).CodeS3Location,
      );
      expect(run).toEqual(steps.map((file) => `resolvers/${file}`));
    }
  });
});

describe('the table', () => {
  it('sorts messages by id within a feed, and can be restored to any second', () => {
    expect(properties('MessagesTable')).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'feed', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('is reachable through a role that only this API can assume, for the operations of the resolvers', () => {
    const { AssumeRolePolicyDocument, Policies } = properties('DataSourceRole');
    expect(AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'appsync.amazonaws.com' },
          Condition: {
            StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
            ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': ['GraphQLApi', 'Arn'] } },
          },
        },
      ],
    });
    const files = readdirSync('infra/resolvers').map((file) =>
      readFileSync(join('infra/resolvers', file), 'utf8'),
    );
    const needed = files.flatMap((code) =>
      [...code.matchAll(/operation: '(\w+)'/g)].flatMap(([, operation = '']) => {
        if (operation === 'BatchDeleteItem') return 'BatchWriteItem';
        // AppSync reads the item after a failed condition.
        return /^(?:Put|Update|Delete)Item$/.test(operation) ? [operation, 'GetItem'] : operation;
      }),
    );
    const allowed = [...JSON.stringify(Policies).matchAll(/"dynamodb:(\w+)"/g)].map(([, action]) => action);
    expect([...new Set(allowed)].sort()).toEqual([...new Set(needed)].sort());
    expect(JSON.stringify(Policies)).not.toContain('"Resource":"*"');
  });
});

describe('the firewall and the alarms', () => {
  it('do not exist by default, because they cost money', () => {
    for (const id of ['LoginWebAcl', 'LoginFirewall', 'ApiWebAcl', 'ApiFirewall']) {
      expect(resource(id).Condition).toBe('HasFirewall');
    }
    expect([template.Parameters.Firewall?.Default, template.Parameters.AlarmEmail?.Default]).toEqual([
      'false',
      'none',
    ]);
  });

  it('count forms of the hosted login by address, but not what the servers of the site send', () => {
    const [emails, forms] = [
      ...JSON.stringify(properties('LoginWebAcl')).matchAll(/"RegexString":"([^"]+)"/g),
    ].map(([, pattern = '']) => new RegExp(pattern));
    // WAF compares the path in lower case.
    const paths = ['/signup', '/forgotpassword', '/resendcode', '/login', '/mfa', '/oauth2/token', '/'];
    expect(paths.filter((path) => emails?.test(path))).toEqual(paths.slice(0, 3));
    expect(paths.filter((path) => forms?.test(path) && !path.startsWith('/oauth2/'))).toEqual(
      paths.slice(0, 5),
    );
    expect(JSON.stringify(properties('LoginWebAcl'))).toMatch(/"NotStatement":.*"SearchString":"\/oauth2\/"/);
  });

  it('count calls of the API by member, because they all come from the addresses of the site', () => {
    const keys = [...JSON.stringify(properties('ApiWebAcl')).matchAll(/"Header":\{"Name":"([^"]+)"/g)];
    expect(keys.map(([, name]) => name)).toEqual(['x-amz-security-token', 'authorization']);
  });

  it('report to one topic, whose subscriber is the address', () => {
    for (const id of idsOfType('AWS::CloudWatch::Alarm')) {
      expect(properties(id).AlarmActions, id).toEqual([ref('AlarmTopic')]);
      expect(resource(id).Condition, id).toMatch(/^Has(?:Mail|Firewall)?Alarms?$/);
    }
    for (const side of ['Login', 'Api']) {
      const { MetricName } = properties(`${side}WebAcl`).VisibilityConfig as { MetricName: Json };
      expect(properties(`${side}FirewallAlarm`).Dimensions).toContainEqual({
        Name: 'WebACL',
        Value: MetricName,
      });
    }
    expect(properties('AlarmTopic').Subscription).toEqual([
      { Protocol: 'email', Endpoint: ref('AlarmEmail') },
    ]);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { parse } from 'graphql';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootFieldsOf } from '../../operations/doctor/account/schema-comparison.ts';
import { prepareTemplate } from '../stack/template.ts';
import { parameterOptions } from '../stack/template-parameters.ts';
import { evaluateOutputs, evaluateResources, evaluationOf } from './support/resource-values.ts';
import { evaluate, rejectParameter } from './support/template-values.ts';
import { type Json, parseTemplate, type TemplateResource } from './support/template-yaml.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenfold-template-'));
const schema = readFileSync('schema.graphql', 'utf8');
const template = parseTemplate(readFileSync('infra/template.yaml', 'utf8'));
const prepared = prepareTemplate();
const place = {
  region: 'eu-central-1',
  account: '123456789012',
  stackName: 'tenfold',
  stackId:
    'arn:aws:cloudformation:eu-central-1:123456789012:stack/tenfold/1a2b3c4d-5e6f-11f0-9abc-0123456789ab',
};

const API = 'arn:aws:appsync:eu-central-1:123456789012:apis/abcdefghijklmnopqrstuvwxyz';
const PREFIX_DOMAIN =
  'https://tenfold-1a2b3c4d-5e6f-11f0-9abc-0123456789ab.auth.eu-central-1.amazoncognito.com';

afterAll(() => rmSync(folder, { recursive: true }));

/** The resources with the values that they have in a deployment with these parameters. */
function deploy(parameters: Record<string, string> = {}) {
  const resources = evaluateResources(evaluationOf(template, parameters, place));
  return (id: string) => resources.get(id)?.properties as Record<string, Json> | undefined;
}

function outputsOf(parameters: Record<string, string>): Record<string, string> {
  return evaluateOutputs(evaluationOf(template, parameters, place));
}

function resource(id: string): TemplateResource {
  const found = template.Resources[id];
  if (found === undefined) throw new Error(`The template has no ${id}`);
  return found;
}

function idsOfType(type: string): string[] {
  return Object.keys(template.Resources).filter((id) => resource(id).Type === type);
}

describe('the validator of AWS', () => {
  let engine: Engine;
  beforeAll(() => {
    engine = new RegoEngine();
    return () => engine.free();
  });

  function problemsOf(text: string) {
    const file = join(folder, 'template.yaml');
    writeFileSync(file, text);
    const { diagnostics } = engine.validateStandard(new TemplateFile(file));
    return diagnostics.filter(({ severity }) => /FATAL|ERROR|WARN/.test(severity));
  }

  it('reports neither errors nor warnings, unlike for a property that does not exist', () => {
    expect(problemsOf(prepared)).toEqual([]);
    expect(problemsOf(prepared.replace('EnableTokenRevocation:', 'EnableRevocation:'))).toEqual([
      expect.objectContaining({ message: expect.stringContaining('EnableRevocation') }),
    ]);
    expect(problemsOf(readFileSync('infra/github-deployment.yaml', 'utf8'))).toEqual([]);
  });
});

describe('the prepared template', () => {
  const deployed = parseTemplate(prepared);

  it('contains the code of every resolver and function, without comments and otherwise unchanged', () => {
    const options = { compilerOptions: { target: ts.ScriptTarget.ES2022, removeComments: true } };
    const print = (code: unknown) => ts.transpileModule(String(code), options).outputText;
    for (const [id, { Properties }] of Object.entries(deployed.Resources)) {
      const code = Properties.Code ?? Properties.FunctionCode;
      if (code === undefined) continue;
      const { CodeS3Location: file, FunctionCode } = template.Resources[id]?.Properties ?? {};
      const original = FunctionCode ?? readFileSync(join('infra', String(file)), 'utf8');
      expect(print(code), id).toBe(print(original));
      expect(String(code), id).not.toMatch(/^ *\/[/*]/m);
    }
  });

  it('contains the schema without descriptions and comments', () => {
    const definition = String(deployed.Resources.GraphQLSchema?.Properties.Definition);
    expect(definition).not.toMatch(/["#]/);
    const original = parse(schema, { noLocation: true });
    expect(parse(definition, { noLocation: true })).toEqual(withoutDescriptions(original));
  });

  it('differs from the written one in nothing else', () => {
    const withoutFiles = ({ Resources }: typeof template) =>
      JSON.stringify(Resources, (key, value) =>
        /^(?:(?:Function)?Code|Definition)(?:S3Location)?$/.test(key) ? undefined : value,
      );
    expect(withoutFiles(deployed)).toBe(withoutFiles(template));
  });
});

describe('the preparation', () => {
  it.each<[string, Record<string, string>, string | RegExp]>([
    [
      'whose file is missing',
      { 'template.yaml': '  CodeS3Location: none.js\n' },
      /none\.js of the template cannot be read/,
    ],
    [
      'with code that is longer than AppSync takes',
      { 'template.yaml': '  CodeS3Location: long.js\n', 'long.js': 'x'.repeat(32_769) },
      'The resolver long.js has 32769 bytes, and AppSync takes at most 32768.',
    ],
    [
      'that is longer than CloudFormation takes',
      { 'template.yaml': `Description: ${'x'.repeat(51_187)}` },
      /has 51201 bytes .* at most 51200/,
    ],
    [
      'with a schema that is not valid GraphQL',
      { 'template.yaml': '  DefinitionS3Location: a.graphql\n', 'a.graphql': 'type {' },
      /The schema a\.graphql is not valid GraphQL/,
    ],
  ])('refuses a template %s', (_, files, message) => {
    const source = mkdtempSync(join(folder, 'source-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    expect(() => prepareTemplate(source)).toThrow(message);
  });
});

describe('parameters', () => {
  it('have an option of npm run aws:deploy each', () => {
    expect(parameterOptions.map(({ parameter }) => parameter).sort()).toEqual(
      Object.keys(template.Parameters).sort(),
    );
  });

  it('have defaults, so that a first deployment needs no input', () => {
    for (const [name, parameter] of Object.entries(template.Parameters)) {
      expect(rejectParameter(name, String(parameter.Default), parameter), name).toBeNull();
    }
  });

  it.each(['http://example.com', 'https://example.com/', 'example.com'])(
    'reject %s as an origin',
    (origin) => {
      const { Origins } = template.Parameters;
      expect(Origins && rejectParameter('Origins', `https://example.org,${origin}`, Origins)).toMatch(
        /must be origins/,
      );
    },
  );

  it.each([
    [{ CustomDomain: 'login.example.com' }, ['CustomDomain needs CertificateId.']],
    [{ EmailIdentity: 'example.com' }, ['EmailIdentity needs EmailFrom.']],
    [{ EmailFrom: 'a@example.com' }, ['EmailFrom needs EmailIdentity.']],
    [{ EmailIdentity: 'example.com', EmailFrom: 'a@example.com' }, []],
    [
      { SiteServer: 'server.example.com' },
      ['SiteServer needs SiteDomain.', 'SiteServer needs SiteCertificateId.'],
    ],
    [{ MonthlyBudget: '50' }, ['MonthlyBudget needs AlarmEmail.']],
    [{ MonthlyBudget: '50', AlarmEmail: 'a@example.com' }, []],
    [{}, []],
  ])('are checked together: %j', (parameters, messages) => {
    const evaluation = evaluationOf(template, parameters, place);
    const violated = Object.values(template.Rules)
      .filter(({ RuleCondition }) => evaluate(RuleCondition, evaluation) === true)
      .flatMap(({ Assertions }) => Assertions.filter(({ Assert }) => evaluate(Assert, evaluation) !== true));
    expect(violated.map(({ AssertDescription }) => AssertDescription)).toEqual(messages);
  });
});

describe('the resources that depend on parameters', () => {
  const choices: Record<string, readonly string[]> = {
    CustomDomain: ['none', 'login.example.com'],
    Guests: ['true', 'false'],
    EmailIdentity: ['none', 'example.com'],
    ThreatProtection: ['none', 'audit', 'enforced'],
    Firewall: ['true', 'false'],
    SiteServer: ['none', 'server.example.com'],
    AlarmEmail: ['none', 'a@example.com'],
    MonthlyBudget: ['0', '50'],
  };

  /** The parameters in a condition and in the conditions that it names. */
  function parametersOf(name: string): string[] {
    const text = JSON.stringify(template.Conditions[name]);
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
    return [...named(/"Ref":"(\w+)"/g), ...named(/"Condition":"(\w+)"/g).flatMap(parametersOf)];
  }

  it('depend on these', () => {
    const parts = [...Object.values(template.Resources), ...Object.values(template.Outputs)];
    const conditions = parts.flatMap(({ Condition }) => Condition ?? []);
    expect(new Set(conditions.flatMap(parametersOf))).toEqual(new Set(Object.keys(choices)));
  });

  it('are not referred to where they do not exist, in any combination', () => {
    const combinations = Object.entries(choices).reduce<Record<string, string>[]>(
      (all, [name, values]) => all.flatMap((given) => values.map((value) => ({ ...given, [name]: value }))),
      [{}],
    );
    expect(combinations).toHaveLength(2 ** 7 * 3);
    for (const parameters of combinations) {
      const evaluation = evaluationOf(template, parameters, place);
      expect(() => evaluateOutputs(evaluation), JSON.stringify(parameters)).not.toThrow();
      expect(() => evaluateResources(evaluation), JSON.stringify(parameters)).not.toThrow();
    }
  });
});

describe('the user pool', () => {
  it('signs in by e-mail address in any case, confirmed by a code', () => {
    expect(deploy()('UserPool')).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      VerificationMessageTemplate: { DefaultEmailOption: 'CONFIRM_WITH_CODE' },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
      EmailConfiguration: { EmailSendingAccount: 'COGNITO_DEFAULT' },
    });
  });

  it('requires passwords of 12 characters, of any kinds', () => {
    expect(deploy()('UserPool')?.Policies).toEqual({
      PasswordPolicy: {
        MinimumLength: 12,
        RequireLowercase: false,
        RequireUppercase: false,
        RequireNumbers: false,
        RequireSymbols: false,
      },
    });
  });

  it('sends codes through SES when an identity is given', () => {
    const parameters = { EmailIdentity: 'example.com', EmailFrom: 'Example <no-reply@example.com>' };
    expect(deploy(parameters)('UserPool')?.EmailConfiguration).toEqual({
      EmailSendingAccount: 'DEVELOPER',
      From: 'Example <no-reply@example.com>',
      SourceArn: 'arn:aws:ses:eu-central-1:123456789012:identity/example.com',
    });
  });

  it('and the table are protected from deletion unless a parameter says otherwise', () => {
    expect(deploy()('UserPool')?.DeletionProtection).toBe('ACTIVE');
    expect(deploy()('MessagesTable')?.DeletionProtectionEnabled).toBe(true);
    const unprotected = deploy({ DeletionProtection: 'false' });
    expect(unprotected('UserPool')?.DeletionProtection).toBe('INACTIVE');
    expect(unprotected('MessagesTable')?.DeletionProtectionEnabled).toBe(false);
  });

  it('and the table, and nothing else, outlive the stack and their replacement', () => {
    const kept = Object.keys(template.Resources).filter((id) => resource(id).DeletionPolicy === 'Retain');
    expect(kept).toEqual(['UserPool', 'MessagesTable']);
    for (const id of kept) expect(resource(id).UpdateReplacePolicy, id).toBe('Retain');
  });

  it('and the table refer to nothing but parameters, so that a new stack can import them alone', () => {
    const text = JSON.stringify([resource('UserPool'), resource('MessagesTable')]);
    expect(text).not.toContain('Fn::GetAtt');
    const names = [...text.matchAll(/"Ref":"([\w:]+)"|\$\{([\w:.]+)\}/g)].map(
      ([, ref, sub]) => ref ?? sub ?? '',
    );
    const known = Object.keys(template.Parameters);
    expect(names.filter((name) => !name.startsWith('AWS::') && !known.includes(name))).toEqual([]);
  });
});

describe('the protection of accounts', () => {
  it('is off by default: one factor, no threat protection, and the feature plan that has free users', () => {
    const pool = deploy()('UserPool');
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      UserPoolAddOns: { AdvancedSecurityMode: 'OFF' },
      MfaConfiguration: 'OFF',
    });
    expect(pool).not.toHaveProperty('EnabledMfas');
    expect(deploy()('RiskConfiguration')).toBeUndefined();
  });

  it('has an authenticator app as a second factor that members may set up, if the parameter says so', () => {
    expect(deploy({ Totp: 'true' })('UserPool')).toMatchObject({
      MfaConfiguration: 'OPTIONAL',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    });
  });

  it('measures threats with the feature plan Plus, or acts on them', () => {
    const audited = deploy({ ThreatProtection: 'audit' });
    expect(audited('UserPool')).toMatchObject({
      UserPoolTier: 'PLUS',
      UserPoolAddOns: { AdvancedSecurityMode: 'AUDIT' },
    });
    expect(audited('RiskConfiguration')).toBeUndefined();
    const enforced = deploy({ ThreatProtection: 'enforced' });
    expect(enforced('UserPool')).toMatchObject({
      UserPoolTier: 'PLUS',
      UserPoolAddOns: { AdvancedSecurityMode: 'ENFORCED' },
    });
    expect(enforced('RiskConfiguration')).toMatchObject({
      CompromisedCredentialsRiskConfiguration: { Actions: { EventAction: 'BLOCK' } },
      AccountTakeoverRiskConfiguration: {
        Actions: {
          MediumAction: { EventAction: 'MFA_IF_CONFIGURED', Notify: false },
          HighAction: { EventAction: 'BLOCK', Notify: false },
        },
      },
    });
  });
});

describe('the firewall', () => {
  type Rule = { Name: string; Statement: { RateBasedStatement: Record<string, Json> } };
  const deployed = deploy({ Firewall: 'true' });
  const rates = (acl: string) => {
    const rules = deployed(acl)?.Rules as unknown as Rule[];
    return new Map(rules.map(({ Name, Statement }) => [Name, Statement.RateBasedStatement]));
  };

  /** Whether the rule counts a request, as WAF evaluates its scope. */
  function counts(statement: Json, method: string, path: string): boolean {
    const [[kind, value] = ['', {}]] = Object.entries(statement as Record<string, Record<string, Json>>);
    if (kind === 'AndStatement')
      return (value.Statements as Json[]).every((part) => counts(part, method, path));
    if (kind === 'NotStatement') return !counts(value.Statement ?? {}, method, path);
    const transformations = JSON.stringify(value.TextTransformations);
    const field = 'Method' in (value.FieldToMatch as object) ? method : path;
    const text = transformations.includes('LOWERCASE') ? field.toLowerCase() : field;
    if (kind === 'RegexMatchStatement') return new RegExp(String(value.RegexString)).test(text);
    const search = String(value.SearchString);
    return value.PositionalConstraint === 'EXACTLY' ? text === search : text.startsWith(search);
  }

  it('stands in front of the user pool and the API, but not by default, because it costs money', () => {
    for (const id of ['LoginWebAcl', 'LoginFirewall', 'ApiWebAcl', 'ApiFirewall']) {
      expect(deploy()(id), id).toBeUndefined();
    }
    expect(deployed('LoginFirewall')?.ResourceArn).toBe(
      'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_TenfoldP1',
    );
    expect(deployed('ApiFirewall')?.ResourceArn).toBe(API);
  });

  it.each([
    ['POST', '/signup', ['emails', 'forms']],
    ['POST', '/forgotPassword', ['emails', 'forms']],
    ['POST', '/resendcode', ['emails', 'forms']],
    ['POST', '/login', ['forms']],
    ['POST', '/mfa', ['forms']],
    ['GET', '/signup', []],
    ['POST', '/oauth2/token', []],
    ['POST', '/oauth2/revoke', []],
    ['POST', '/', []],
  ])('counts %s %s for the rules %j', (method, path, expected) => {
    const counting = [...rates('LoginWebAcl')].filter(([, { ScopeDownStatement = {} }]) =>
      counts(ScopeDownStatement, method, path),
    );
    expect(counting.map(([name]) => name)).toEqual(expected);
  });

  it('counts what visitors send to the hosted login by their address', () => {
    for (const rate of rates('LoginWebAcl').values()) expect(rate.AggregateKeyType).toBe('IP');
  });

  it('counts calls of the API by member, because they all come from the addresses of the site', () => {
    const keys = [...rates('ApiWebAcl').values()].map(({ AggregateKeyType, CustomKeys }) => {
      expect(AggregateKeyType).toBe('CUSTOM_KEYS');
      return (CustomKeys as unknown as { Header: { Name: string } }[]).map(({ Header }) => Header.Name);
    });
    expect(keys).toEqual([['x-amz-security-token'], ['authorization']]);
  });
});

describe('alarms', () => {
  const AlarmEmail = 'operator@example.com';
  const mail = { EmailIdentity: 'example.com', EmailFrom: 'a@b.example' };
  /** The ids of the alarms, the topic and the budget. */
  const alarms = (parameters: Record<string, string>) => {
    const resources = evaluateResources(evaluationOf(template, parameters, place));
    return [...resources.keys()].filter((id) => /CloudWatch|SNS|Budgets/.test(resource(id).Type));
  };

  it('do not exist without an address, nor for mail, firewall and costs without those', () => {
    expect(alarms({ Firewall: 'true' })).toEqual([]);
    const all = alarms({ AlarmEmail, Firewall: 'true', MonthlyBudget: '50', ...mail });
    const conditional = ['BouncesAlarm', 'LoginFirewallAlarm', 'ApiFirewallAlarm', 'Budget'];
    expect(alarms({ AlarmEmail })).toEqual(all.filter((id) => !conditional.includes(id)));
  });

  it('go to one topic, whose subscriber is the address', () => {
    const deployed = deploy({ AlarmEmail, Firewall: 'true', ...mail });
    const topic = 'arn:aws:sns:eu-central-1:123456789012:tenfold-AlarmTopic-1A2B3C4D5E6F';
    const metrics = idsOfType('AWS::CloudWatch::Alarm').map((id) => {
      expect(deployed(id)?.AlarmActions, id).toEqual([topic]);
      return `${deployed(id)?.Namespace} ${deployed(id)?.MetricName}`;
    });
    expect(metrics).toEqual([
      'AWS/AppSync 5XXError',
      'AWS/AppSync Latency',
      'AWS/DynamoDB ReadThrottleEvents',
      'AWS/DynamoDB WriteThrottleEvents',
      'AWS/Cognito SignUpThrottles',
      'AWS/Cognito SignInThrottles',
      'AWS/Cognito TokenRefreshThrottles',
      'AWS/SES Reputation.BounceRate',
      'AWS/WAFV2 BlockedRequests',
      'AWS/WAFV2 BlockedRequests',
    ]);
    expect(deployed('AlarmTopic')).toEqual({
      Subscription: [{ Protocol: 'email', Endpoint: AlarmEmail }],
    });
  });

  it('name the metrics of the firewall as its rules do', () => {
    const deployed = deploy({ AlarmEmail, Firewall: 'true' });
    for (const side of ['Login', 'Api']) {
      const visibility = deployed(`${side}WebAcl`)?.VisibilityConfig as { MetricName: string } | undefined;
      const dimension = { Name: 'WebACL', Value: visibility?.MetricName };
      expect(deployed(`${side}FirewallAlarm`)?.Dimensions).toContainEqual(dimension);
    }
  });

  it('include a budget, if there is one', () => {
    const notification = { Subscribers: [{ SubscriptionType: 'EMAIL', Address: AlarmEmail }] };
    expect(deploy({ AlarmEmail, MonthlyBudget: '50' })('Budget')).toMatchObject({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: '50', Unit: 'USD' } },
      NotificationsWithSubscribers: [notification, notification],
    });
  });
});

describe('the app client', () => {
  const properties = deploy()('UserPoolClient') ?? {};

  it('rotates refresh tokens with a grace period of 60 s, and without the flow that rotation excludes', () => {
    expect(properties.RefreshTokenRotation).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 60 });
    expect(properties.ExplicitAuthFlows).toEqual(['ALLOW_USER_SRP_AUTH']);
  });

  it('issues tokens for 60 minutes, and refresh tokens for as long as a session of the site may last', () => {
    expect(properties).toMatchObject({
      AccessTokenValidity: 60,
      IdTokenValidity: 60,
      RefreshTokenValidity: 365,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
  });

  it('is confidential and allows the authorization code flow only', () => {
    expect(properties).toMatchObject({
      GenerateSecret: true,
      SupportedIdentityProviders: ['COGNITO'],
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    });
  });

  it('leaves the readable attributes at their default, so that every scope can be read', () => {
    expect(Object.keys(properties)).not.toContain('ReadAttributes');
  });

  it.each(['http://localhost:3000', 'https://a.example,https://b.example:8443,http://localhost:3000'])(
    'has callback and sign-out addresses for %s',
    (Origins) => {
      const client = deploy({ Origins })('UserPoolClient');
      const origins = Origins.split(',');
      expect(client?.CallbackURLs).toEqual(origins.map((origin) => `${origin}/auth/callback`));
      expect(client?.LogoutURLs).toEqual(origins.map((origin) => `${origin}/`));
    },
  );
});

describe('the hosted login', () => {
  it('has the pages of managed login', () => {
    expect(deploy()('UserPoolDomain')?.ManagedLoginVersion).toBe(2);
    expect(deploy()('HostedLoginBranding')).toEqual({
      UserPoolId: 'eu-central-1_TenfoldP1',
      ClientId: '1h57kf5cpq17m0eml12EXAMPLE',
      UseCognitoProvidedValues: true,
    });
  });

  it('has a prefix that contains the whole id of the stack, or a given prefix', () => {
    expect(deploy()('UserPoolDomain')).toMatchObject({
      Domain: 'tenfold-1a2b3c4d-5e6f-11f0-9abc-0123456789ab',
    });
    expect(deploy({ DomainPrefix: 'my-site' })('UserPoolDomain')).toMatchObject({ Domain: 'my-site' });
    expect(deploy()('CustomUserPoolDomain')).toBeUndefined();
  });

  it('keeps its prefix beside a custom domain', () => {
    const CertificateId = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
    const parameters = { CustomDomain: 'login.example.com', CertificateId };
    const custom = deploy(parameters);
    expect(custom('UserPoolDomain')).toEqual(deploy()('UserPoolDomain'));
    expect(custom('CustomUserPoolDomain')).toMatchObject({
      Domain: 'login.example.com',
      ManagedLoginVersion: 2,
      CustomDomainConfig: {
        CertificateArn: `arn:aws:acm:us-east-1:123456789012:certificate/${CertificateId}`,
      },
    });
    expect(outputsOf(parameters)).toMatchObject({
      HostedLoginDomain: 'https://login.example.com',
      HostedLoginPrefixDomain: PREFIX_DOMAIN,
      HostedLoginAliasTarget: 'd111111abcdef8.cloudfront.net',
    });
  });
});

describe('the identity pool', () => {
  it('accepts tokens of the app client only, checks them with the user pool, and has no classic flow', () => {
    expect(deploy()('IdentityPool')).toMatchObject({
      AllowClassicFlow: false,
      CognitoIdentityProviders: [
        {
          ClientId: '1h57kf5cpq17m0eml12EXAMPLE',
          ProviderName: 'cognito-idp.eu-central-1.amazonaws.com/eu-central-1_TenfoldP1',
          ServerSideTokenCheck: true,
        },
      ],
    });
  });

  it('has guests and a role for them only when the parameter allows guests', () => {
    const [withGuests, without] = [deploy(), deploy({ Guests: 'false' })];
    expect(withGuests('IdentityPool')?.AllowUnauthenticatedIdentities).toBe(true);
    expect(withGuests('IdentityPoolRoles')?.Roles).toHaveProperty('unauthenticated');
    expect(without('IdentityPool')?.AllowUnauthenticatedIdentities).toBe(false);
    expect(without('IdentityPoolRoles')?.Roles).not.toHaveProperty('unauthenticated');
    expect(without('GuestRole')).toBeUndefined();
  });

  it.each([
    ['MemberRole', 'authenticated'],
    ['GuestRole', 'unauthenticated'],
  ])('is the only one that can give out %s, to %s identities', (role, amr) => {
    expect(deploy()(role)?.AssumeRolePolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Federated: 'cognito-identity.amazonaws.com' },
          Action: 'sts:AssumeRoleWithWebIdentity',
          Condition: {
            StringEquals: {
              'cognito-identity.amazonaws.com:aud': 'eu-central-1:1a2b3c4d-5e6f-4a1b-8c2d-000000000001',
            },
            'ForAnyValue:StringLike': { 'cognito-identity.amazonaws.com:amr': amr },
          },
        },
      ],
    });
  });

  it('lets members call every field of the schema and nothing else, and guests nothing', () => {
    const Resource = rootFieldsOf(schema).map(({ type, field }) => `${API}/types/${type}/fields/${field}`);
    const Statement = [{ Effect: 'Allow', Action: 'appsync:GraphQL', Resource }];
    expect(deploy()('MemberRole')?.Policies).toEqual([
      { PolicyName: 'call-graphql-api', PolicyDocument: { Version: '2012-10-17', Statement } },
    ]);
    expect(deploy()('GuestRole')).not.toHaveProperty('Policies');
    expect(deploy()('GuestRole')).not.toHaveProperty('ManagedPolicyArns');
  });
});

describe('the GraphQL API', () => {
  it('accepts the access token of the app client and signed requests, and no introspection', () => {
    expect(deploy()('GraphQLApi')).toMatchObject({
      AuthenticationType: 'AMAZON_COGNITO_USER_POOLS',
      UserPoolConfig: {
        UserPoolId: 'eu-central-1_TenfoldP1',
        AwsRegion: 'eu-central-1',
        DefaultAction: 'ALLOW',
        AppIdClientRegex: '^1h57kf5cpq17m0eml12EXAMPLE$',
      },
      AdditionalAuthenticationProviders: [{ AuthenticationType: 'AWS_IAM' }],
      IntrospectionConfig: 'DISABLED',
      QueryDepthLimit: 5,
    });
  });

  it('logs errors without contents of requests, for as long as the parameter says', () => {
    expect(deploy()('GraphQLApi')?.LogConfig).toMatchObject({
      FieldLogLevel: 'ERROR',
      ExcludeVerboseContent: true,
    });
    expect(deploy({ LogRetentionDays: '7' })('ApiLogGroup')).toEqual({
      LogGroupName: '/aws/appsync/apis/abcdefghijklmnopqrstuvwxyz',
      RetentionInDays: '7',
    });
  });

  it('writes logs through a role that only AppSync of this account can assume, and that creates no group', () => {
    expect(deploy()('LogRole')).toMatchObject({
      AssumeRolePolicyDocument: {
        Statement: [{ Condition: { StringEquals: { 'aws:SourceAccount': '123456789012' } } }],
      },
      Policies: [
        { PolicyDocument: { Statement: [{ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] }] } },
      ],
    });
  });

  it('sends traces to X-Ray if the parameter says so', () => {
    expect(deploy()('GraphQLApi')?.XrayEnabled).toBe(false);
    expect(deploy({ Tracing: 'true' })('GraphQLApi')?.XrayEnabled).toBe(true);
  });

  const resolvers = idsOfType('AWS::AppSync::Resolver').map(resource);
  const files = readdirSync('infra/resolvers').filter((file) => file.endsWith('.js'));

  it('has a resolver for every field of the schema, and every file of the folder is deployed', () => {
    expect(
      resolvers.map(({ Properties }) => ({ type: Properties.TypeName, field: Properties.FieldName })),
    ).toEqual(rootFieldsOf(schema));
    const withCode = Object.values(template.Resources).filter(
      ({ Properties }) => 'CodeS3Location' in Properties,
    );
    expect(withCode.map(({ Properties }) => Properties.CodeS3Location).sort()).toEqual(
      files.map((file) => `resolvers/${file}`).sort(),
    );
    for (const { Properties } of withCode) {
      expect(Properties.Runtime).toEqual({ Name: 'APPSYNC_JS', RuntimeVersion: '1.0.0' });
    }
    for (const { DependsOn, Properties } of resolvers) {
      expect(DependsOn).toBe('GraphQLSchema');
      expect(Properties.CodeS3Location).toBe(`resolvers/${Properties.TypeName}.${Properties.FieldName}.js`);
    }
  });

  it('runs the numbered files of a field as its pipeline, in their order', () => {
    const source = { 'Fn::GetAtt': ['MessagesDataSource', 'Name'] };
    for (const { Properties } of resolvers) {
      const prefix = `${Properties.TypeName}.${Properties.FieldName}.`;
      const steps = files.filter((file) => /^\d+\.js$/.test(file.replace(prefix, '')));
      if (steps.length === 0) expect(Properties).toMatchObject({ Kind: 'UNIT', DataSourceName: source });
      else expect(Properties).toMatchObject({ Kind: 'PIPELINE' });
      const { Functions = [] } = (Properties.PipelineConfig ?? {}) as {
        Functions?: { 'Fn::GetAtt': string[] }[];
      };
      const run = Functions.map(({ 'Fn::GetAtt': [id = ''] }) => {
        expect(resource(id).Properties.DataSourceName).toEqual(source);
        return resource(id).Properties.CodeS3Location;
      });
      expect(run).toEqual(steps.sort().map((file) => `resolvers/${file}`));
    }
  });
});

describe('the table', () => {
  it('sorts messages by id within a feed, and can be restored to any second', () => {
    expect(deploy()('MessagesTable')).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'feed', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('is encrypted with the key of DynamoDB, which costs nothing', () => {
    expect(deploy()('MessagesTable')).not.toHaveProperty('SSESpecification');
  });

  /** The actions for the operations that the resolvers request. AppSync reads the item after a failed condition. */
  const actionsOfResolvers = () => {
    const operations = readdirSync('infra/resolvers').flatMap((file) =>
      [...readFileSync(join('infra/resolvers', file), 'utf8').matchAll(/operation: '(\w+)'/g)].flatMap(
        ([, operation = '']) =>
          operation === 'BatchDeleteItem'
            ? 'BatchWriteItem'
            : [operation, ...(/^(?:Put|Delete)Item$/.test(operation) ? ['GetItem'] : [])],
      ),
    );
    return [...new Set(operations)].sort().map((operation) => `dynamodb:${operation}`);
  };

  it('is reachable through a role that only this API can assume, for the operations of the resolvers', () => {
    const role = deploy()('DataSourceRole');
    const Condition = {
      StringEquals: { 'aws:SourceAccount': '123456789012' },
      ArnEquals: { 'aws:SourceArn': API },
    };
    expect(role?.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal: { Service: 'appsync.amazonaws.com' }, Condition }],
    });
    const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/tenfold-MessagesTable-1A2B3C4D5E6F';
    const Statement = [
      { Action: actionsOfResolvers(), Resource: [table] },
      { Action: 'dynamodb:Query', Resource: [`${table}/index/*`] },
    ];
    expect(role?.Policies).toMatchObject([{ PolicyDocument: { Statement } }]);
  });

  it('gives way to a restored table, which the API may use too', () => {
    const restored = deploy({ RestoredTable: 'tenfold-restored' });
    expect(restored('MessagesDataSource')).toMatchObject({
      DynamoDBConfig: { TableName: 'tenfold-restored' },
    });
    expect(restored('GraphQLApi')).toMatchObject({
      EnvironmentVariables: { MESSAGES_TABLE: 'tenfold-restored' },
    });
    const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/tenfold-restored';
    expect(JSON.stringify(restored('DataSourceRole'))).toContain(`"${arn}"`);
    expect(JSON.stringify(restored('DataSourceRole'))).toContain(`"${arn}/index/*"`);
    expect(restored('MessagesTable')).toEqual(deploy()('MessagesTable'));
  });
});

it('every role has the permissions boundary of the parameter, and none by default', () => {
  const bounded = deploy({ PermissionsBoundary: 'tenfold-boundary' });
  const boundary = 'arn:aws:iam::123456789012:policy/tenfold-boundary';
  for (const role of idsOfType('AWS::IAM::Role')) {
    expect(bounded(role)?.PermissionsBoundary, role).toBe(boundary);
    expect(deploy()(role), role).not.toHaveProperty('PermissionsBoundary');
  }
});

describe('outputs', () => {
  it('contain every address and id of the site, and no secret', () => {
    expect(outputsOf({ Origins: 'https://a.example,https://b.example' })).toEqual({
      Region: 'eu-central-1',
      AppOrigin: 'https://a.example',
      AppOrigins: 'https://a.example,https://b.example',
      UserPoolId: 'eu-central-1_TenfoldP1',
      UserPoolClientId: '1h57kf5cpq17m0eml12EXAMPLE',
      HostedLoginDomain: PREFIX_DOMAIN,
      HostedLoginPrefixDomain: PREFIX_DOMAIN,
      IdentityPoolId: 'eu-central-1:1a2b3c4d-5e6f-4a1b-8c2d-000000000001',
      GuestsAllowed: 'true',
      GraphQLEndpoint: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.eu-central-1.amazonaws.com/graphql',
      GraphQLApiId: 'abcdefghijklmnopqrstuvwxyz',
      MessagesTableName: 'tenfold-MessagesTable-1A2B3C4D5E6F',
    });
  });
});

function withoutDescriptions(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document, (key, value) => (key === 'description' ? undefined : value)));
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { Kind, parse } from 'graphql';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareTemplate } from '../stack/template.ts';
import { parameterOptions } from '../stack/template-parameters.ts';
import { evaluateOutputs, evaluateResources, evaluationOf } from './support/resource-values.ts';
import { evaluate, rejectParameter } from './support/template-values.ts';
import { type Json, parseTemplate, type TemplateResource } from './support/template-yaml.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenfold-template-'));
const written = readFileSync('infra/template.yaml', 'utf8');
const template = parseTemplate(written);
const prepared = prepareTemplate();
const place = {
  region: 'eu-central-1',
  account: '123456789012',
  stackName: 'tenfold',
  stackId:
    'arn:aws:cloudformation:eu-central-1:123456789012:stack/tenfold/1a2b3c4d-5e6f-11f0-9abc-0123456789ab',
};

afterAll(() => rmSync(folder, { recursive: true }));

/** The resources with the values that they have in a deployment with these parameters. */
function deploy(parameters: Record<string, string> = {}) {
  const resources = evaluateResources(evaluationOf(template, parameters, place));
  return (id: string) => resources.get(id)?.properties as Record<string, Json> | undefined;
}

function resource(id: string): TemplateResource {
  const found = template.Resources[id];
  if (found === undefined) throw new Error(`The template has no ${id}`);
  return found;
}

describe('the validator of AWS', () => {
  let engine: Engine;
  beforeAll(() => {
    engine = new RegoEngine();
    return () => engine.free();
  });

  function problemsOf(text: string, severities: RegExp): string[] {
    const file = join(folder, 'template.yaml');
    writeFileSync(file, text);
    return engine
      .validateStandard(new TemplateFile(file))
      .diagnostics.filter(({ severity }) => severities.test(severity))
      .map(({ severity, ruleId, message }) => `${severity} ${ruleId} ${message}`);
  }

  it('reports no error in the template as written', () => {
    expect(problemsOf(written, /FATAL|ERROR/)).toEqual([]);
  });

  it('reports neither errors nor warnings in the template as deployed', () => {
    expect(problemsOf(prepared, /FATAL|ERROR|WARN/)).toEqual([]);
  });

  it('reports a property that does not exist', () => {
    expect(
      problemsOf(prepared.replace('EnableTokenRevocation:', 'EnableRevocation:'), /FATAL|ERROR/),
    ).toEqual([expect.stringContaining('EnableRevocation')]);
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
    const original = parse(readFileSync('schema.graphql', 'utf8'), { noLocation: true });
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
  function prepare(files: Record<string, string>): () => string {
    const source = mkdtempSync(join(folder, 'source-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(source, name), text);
    return () => prepareTemplate(source);
  }

  it('refuses a template whose file is missing', () => {
    expect(prepare({ 'template.yaml': '  CodeS3Location: none.js\n' })).toThrow(
      /none\.js of the template cannot be read/,
    );
  });

  it('refuses code that is longer than AppSync takes', () => {
    const files = { 'template.yaml': '  CodeS3Location: long.js\n', 'long.js': 'x'.repeat(32_769) };
    expect(prepare(files)).toThrow('The resolver long.js has 32769 bytes, and AppSync takes at most 32768.');
  });

  it('refuses a template that is longer than CloudFormation takes', () => {
    expect(prepare({ 'template.yaml': `Description: ${'x'.repeat(51_187)}` })).toThrow(
      /has 51201 bytes .* at most 51200/,
    );
  });

  it('refuses a schema that is not valid GraphQL', () => {
    const files = { 'template.yaml': '  DefinitionS3Location: a.graphql\n', 'a.graphql': 'type {' };
    expect(prepare(files)).toThrow(/The schema a\.graphql is not valid GraphQL/);
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

  it.each(['http://example.com', 'https://example.com/', 'https://example.com/path', 'example.com'])(
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
    const conditions = [...Object.values(template.Resources), ...Object.values(template.Outputs)].flatMap(
      ({ Condition }) => Condition ?? [],
    );
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
});

describe('the protection of accounts', () => {
  const protectedBy = (parameters: Record<string, string>) => {
    const deployed = deploy(parameters);
    return { pool: deployed('UserPool'), risks: deployed('RiskConfiguration') };
  };

  it('is off by default: one factor, no threat protection, and the feature plan that has free users', () => {
    const { pool, risks } = protectedBy({});
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      UserPoolAddOns: { AdvancedSecurityMode: 'OFF' },
      MfaConfiguration: 'OFF',
    });
    expect(pool).not.toHaveProperty('EnabledMfas');
    expect(risks).toBeUndefined();
  });

  it('has an authenticator app as a second factor that members may set up, if the parameter says so', () => {
    expect(protectedBy({ Totp: 'true' }).pool).toMatchObject({
      MfaConfiguration: 'OPTIONAL',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    });
  });

  it('measures threats with the feature plan Plus, or acts on them', () => {
    expect(protectedBy({ ThreatProtection: 'audit' })).toMatchObject({
      pool: { UserPoolTier: 'PLUS', UserPoolAddOns: { AdvancedSecurityMode: 'AUDIT' } },
      risks: undefined,
    });
    expect(protectedBy({ ThreatProtection: 'enforced' })).toMatchObject({
      pool: { UserPoolTier: 'PLUS', UserPoolAddOns: { AdvancedSecurityMode: 'ENFORCED' } },
      risks: {
        CompromisedCredentialsRiskConfiguration: { Actions: { EventAction: 'BLOCK' } },
        AccountTakeoverRiskConfiguration: {
          Actions: {
            MediumAction: { EventAction: 'MFA_IF_CONFIGURED', Notify: false },
            HighAction: { EventAction: 'BLOCK', Notify: false },
          },
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

  it('does not exist by default, because it costs money', () => {
    for (const id of ['LoginWebAcl', 'LoginFirewall', 'ApiWebAcl', 'ApiFirewall']) {
      expect(deploy()(id), id).toBeUndefined();
    }
  });

  it('stands in front of the user pool and the API', () => {
    expect(deployed('LoginFirewall')?.ResourceArn).toBe(
      'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_TenfoldP1',
    );
    expect(deployed('ApiFirewall')?.ResourceArn).toBe(
      'arn:aws:appsync:eu-central-1:123456789012:apis/abcdefghijklmnopqrstuvwxyz',
    );
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
  const alarms = (parameters: Record<string, string>) =>
    [...evaluateResources(evaluationOf(template, parameters, place))].filter(([, { type }]) =>
      /CloudWatch|SNS|Budgets/.test(type),
    );

  it('do not exist without an address', () => {
    expect(alarms({ Firewall: 'true' })).toEqual([]);
  });

  it('go to one topic, whose subscriber is the address', () => {
    const topic = 'arn:aws:sns:eu-central-1:123456789012:tenfold-AlarmTopic-1A2B3C4D5E6F';
    const all = alarms({
      AlarmEmail,
      Firewall: 'true',
      EmailIdentity: 'example.com',
      EmailFrom: 'a@b.example',
    });
    const metrics = all
      .filter(([, { type }]) => type === 'AWS::CloudWatch::Alarm')
      .map(([, { properties }]) => properties as Record<string, Json>)
      .map(({ Namespace, MetricName, AlarmActions }) => {
        expect(AlarmActions).toEqual([topic]);
        return `${Namespace} ${MetricName}`;
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
    expect(deploy({ AlarmEmail })('AlarmTopic')).toEqual({
      Subscription: [{ Protocol: 'email', Endpoint: AlarmEmail }],
    });
  });

  it('watch the mail and the firewall only if the stack has them', () => {
    const ids = alarms({ AlarmEmail }).map(([id]) => id);
    expect(ids).toContain('ApiErrorsAlarm');
    for (const id of ['BouncesAlarm', 'LoginFirewallAlarm', 'ApiFirewallAlarm', 'Budget']) {
      expect(ids).not.toContain(id);
    }
  });

  it('name the metrics of the firewall as its rules do', () => {
    const deployed = deploy({ AlarmEmail, Firewall: 'true' });
    for (const [alarm, acl] of [
      ['LoginFirewallAlarm', 'LoginWebAcl'],
      ['ApiFirewallAlarm', 'ApiWebAcl'],
    ] as const) {
      const { MetricName = null } = (deployed(acl)?.VisibilityConfig ?? {}) as Record<string, Json>;
      expect(deployed(alarm)?.Dimensions).toContainEqual({ Name: 'WebACL', Value: MetricName });
    }
  });

  it('include a budget, if there is one', () => {
    expect(deploy({ AlarmEmail, MonthlyBudget: '50' })('Budget')).toMatchObject({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: '50', Unit: 'USD' } },
      NotificationsWithSubscribers: [
        { Subscribers: [{ SubscriptionType: 'EMAIL', Address: AlarmEmail }] },
        { Subscribers: [{ SubscriptionType: 'EMAIL', Address: AlarmEmail }] },
      ],
    });
  });
});

describe('the user pool and the table', () => {
  const kept = ['UserPool', 'MessagesTable'];

  it('refer to nothing but parameters, so that a new stack can import them alone', () => {
    const text = JSON.stringify(kept.map((id) => resource(id)));
    expect(text).not.toContain('Fn::GetAtt');
    const names = [...text.matchAll(/"Ref":"([\w:]+)"|\$\{([\w:.]+)\}/g)].map(
      ([, ref, sub]) => ref ?? sub ?? '',
    );
    const known = [...Object.keys(template.Parameters), 'AWS::StackName', 'AWS::NoValue'];
    const pseudo = ['AWS::Partition', 'AWS::Region', 'AWS::AccountId'];
    expect(names.filter((name) => ![...known, ...pseudo].includes(name))).toEqual([]);
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

  it.each([
    ['http://localhost:3000', ['http://localhost:3000']],
    [
      'https://a.example,https://b.example:8443,http://localhost:3000',
      ['https://a.example', 'https://b.example:8443', 'http://localhost:3000'],
    ],
  ])('has callback and sign-out addresses for %s', (Origins, origins) => {
    const client = deploy({ Origins })('UserPoolClient');
    expect(client?.CallbackURLs).toEqual(origins.map((origin) => `${origin}/auth/callback`));
    expect(client?.LogoutURLs).toEqual(origins.map((origin) => `${origin}/`));
  });
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
    const custom = deploy({ CustomDomain: 'login.example.com', CertificateId });
    expect(custom('UserPoolDomain')).toEqual(deploy()('UserPoolDomain'));
    expect(custom('CustomUserPoolDomain')).toMatchObject({
      Domain: 'login.example.com',
      ManagedLoginVersion: 2,
      CustomDomainConfig: {
        CertificateArn: `arn:aws:acm:us-east-1:123456789012:certificate/${CertificateId}`,
      },
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
    const api = 'arn:aws:appsync:eu-central-1:123456789012:apis/abcdefghijklmnopqrstuvwxyz';
    expect(deploy()('MemberRole')?.Policies).toEqual([
      {
        PolicyName: 'call-graphql-api',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: 'appsync:GraphQL',
              Resource: schemaFields().map(([type, field]) => `${api}/types/${type}/fields/${field}`),
            },
          ],
        },
      },
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

  it.each([
    ['false', false],
    ['true', true],
  ])('sends traces to X-Ray when the parameter is %s: %s', (Tracing, XrayEnabled) => {
    expect(deploy({ Tracing })('GraphQLApi')).toMatchObject({ XrayEnabled });
  });

  it('has a resolver for every field of the schema, and every file of the folder is deployed', () => {
    const resolvers = Object.values(template.Resources).filter(
      ({ Type }) => Type === 'AWS::AppSync::Resolver',
    );
    expect(resolvers.map(({ Properties }) => [Properties.TypeName, Properties.FieldName])).toEqual(
      schemaFields(),
    );
    const withCode = Object.values(template.Resources).filter(
      ({ Properties }) => 'CodeS3Location' in Properties,
    );
    expect(withCode.map(({ Properties }) => Properties.CodeS3Location).sort()).toEqual(
      readdirSync('infra/resolvers')
        .filter((file) => file.endsWith('.js'))
        .map((file) => `resolvers/${file}`)
        .sort(),
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
    const resolvers = Object.values(template.Resources).filter(
      ({ Type }) => Type === 'AWS::AppSync::Resolver',
    );
    const source = { 'Fn::GetAtt': ['MessagesDataSource', 'Name'] };
    for (const { Properties } of resolvers) {
      const prefix = `${Properties.TypeName}.${Properties.FieldName}.`;
      const steps = readdirSync('infra/resolvers').filter((file) =>
        file.replace(prefix, '').match(/^\d+\.js$/),
      );
      if (steps.length === 0) expect(Properties).toMatchObject({ Kind: 'UNIT', DataSourceName: source });
      else expect(Properties).toMatchObject({ Kind: 'PIPELINE' });
      const { Functions = [] } = (Properties.PipelineConfig ?? {}) as {
        Functions?: { 'Fn::GetAtt': string[] }[];
      };
      const files = Functions.map(({ 'Fn::GetAtt': [id = ''] }) => {
        expect(resource(id).Properties.DataSourceName).toEqual(source);
        return resource(id).Properties.CodeS3Location;
      });
      expect(files).toEqual(steps.sort().map((file) => `resolvers/${file}`));
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
    expect(role?.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'appsync.amazonaws.com' },
          Condition: {
            StringEquals: { 'aws:SourceAccount': '123456789012' },
            ArnEquals: {
              'aws:SourceArn': 'arn:aws:appsync:eu-central-1:123456789012:apis/abcdefghijklmnopqrstuvwxyz',
            },
          },
        },
      ],
    });
    const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/tenfold-MessagesTable-1A2B3C4D5E6F';
    expect(role?.Policies).toMatchObject([
      {
        PolicyDocument: {
          Statement: [
            {
              Action: actionsOfResolvers(),
              Resource: [table],
            },
            { Action: 'dynamodb:Query', Resource: [`${table}/index/*`] },
          ],
        },
      },
    ]);
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

describe('the roles', () => {
  it('have the permissions boundary of the parameter, and none by default', () => {
    const roles = Object.keys(template.Resources).filter((id) => resource(id).Type === 'AWS::IAM::Role');
    const bounded = deploy({ PermissionsBoundary: 'tenfold-boundary' });
    for (const role of roles) {
      expect(bounded(role)?.PermissionsBoundary, role).toBe(
        'arn:aws:iam::123456789012:policy/tenfold-boundary',
      );
      expect(deploy()(role), role).not.toHaveProperty('PermissionsBoundary');
    }
  });
});

describe('outputs', () => {
  const prefixDomain =
    'https://tenfold-1a2b3c4d-5e6f-11f0-9abc-0123456789ab.auth.eu-central-1.amazoncognito.com';

  it('contain every address and id of the site, and no secret', () => {
    expect(
      evaluateOutputs(evaluationOf(template, { Origins: 'https://a.example,https://b.example' }, place)),
    ).toEqual({
      Region: 'eu-central-1',
      AppOrigin: 'https://a.example',
      AppOrigins: 'https://a.example,https://b.example',
      UserPoolId: 'eu-central-1_TenfoldP1',
      UserPoolClientId: '1h57kf5cpq17m0eml12EXAMPLE',
      HostedLoginDomain: prefixDomain,
      HostedLoginPrefixDomain: prefixDomain,
      IdentityPoolId: 'eu-central-1:1a2b3c4d-5e6f-4a1b-8c2d-000000000001',
      GuestsAllowed: 'true',
      GraphQLEndpoint: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.eu-central-1.amazonaws.com/graphql',
      GraphQLApiId: 'abcdefghijklmnopqrstuvwxyz',
      MessagesTableName: 'tenfold-MessagesTable-1A2B3C4D5E6F',
    });
  });

  it('contain the target of the DNS record of a custom domain', () => {
    const parameters = {
      CustomDomain: 'login.example.com',
      CertificateId: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    };
    expect(evaluateOutputs(evaluationOf(template, parameters, place))).toMatchObject({
      HostedLoginDomain: 'https://login.example.com',
      HostedLoginPrefixDomain: prefixDomain,
      HostedLoginAliasTarget: 'd111111abcdef8.cloudfront.net',
    });
  });
});

/** The fields of Query, Mutation and Subscription in schema.graphql. */
function schemaFields(): [string, string][] {
  const { definitions } = parse(readFileSync('schema.graphql', 'utf8'));
  return definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const type = definition.name.value;
    if (!/^(?:Query|Mutation|Subscription)$/.test(type)) return [];
    return (definition.fields ?? []).map(({ name }): [string, string] => [type, name.value]);
  });
}

function withoutDescriptions(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document, (key, value) => (key === 'description' ? undefined : value)));
}

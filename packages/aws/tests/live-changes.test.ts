/** Changes of a live stack: what the plan says about each parameter, and the rules of CloudFormation and Cognito. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeEffects } from '../stack/parameter-effects.ts';
import { formatPlan } from '../stack/plan.ts';
import { prepareTemplate } from '../stack/template.ts';
import { parameterOptions } from '../stack/template-parameters.ts';
import { type AwsAccount, addDeployedStack, REGION, startAwsAccount } from './support/aws-account.ts';
import { runAwsCommand } from './support/aws-command.ts';
import { planChanges } from './support/planned-changes.ts';
import { evaluateResources, evaluationOf } from './support/resource-values.ts';
import { rejectParameter } from './support/template-values.ts';
import { parseTemplate } from './support/template-yaml.ts';

const CERTIFICATE = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const template = parseTemplate(prepareTemplate());
const place = {
  region: REGION,
  account: '123456789012',
  stackName: 'tenfold',
  stackId: 'stack/tenfold/1a2b',
};
const folder = mkdtempSync(join(tmpdir(), 'tenfold-changes-'));
let account: AwsAccount;

beforeEach(async () => {
  account = await startAwsAccount();
});
afterEach(() => account.close());
afterAll(() => rmSync(folder, { recursive: true }));

function deploy(...args: readonly string[]) {
  return runAwsCommand('deploy', ['--interval', '0', ...args], { account, folder });
}

describe('a changed parameter', () => {
  const effectOf = (ParameterKey: string, before: string, after: string) =>
    describeEffects([{ ParameterKey, ParameterValue: after }], [{ ParameterKey, ParameterValue: before }]);

  it.each([
    ['Origins', 'https://a.example', 'https://b.example', 'Nobody can sign in at https://a.example'],
    ['CustomDomain', 'a.example', 'none', 'Sites whose COGNITO_DOMAIN is https://a.example cannot sign'],
    ['Guests', 'true', 'false', 'Visitors who are not signed in get no identity'],
    ['SiteServer', 'a.example', 'none', 'Nobody reaches the site while the DNS record of its origin'],
  ])('%s stops something that visitors use: from %s to %s', (parameter, before, after, text) => {
    expect(effectOf(parameter, before, after)).toEqual([
      { text: expect.stringContaining(text), isInterruption: true },
    ]);
  });

  it.each([
    ['Origins', 'http://localhost:3000', 'https://a.example', 'sign in at http://localhost:3000 any more.'],
    ['CustomDomain', 'none', 'a.example', 'Sites use a.example after npm run aws:env, so wait until'],
    ['CertificateId', '0a1b', '1a1b', 'It can take up to an hour until the custom domain uses the new'],
    ['EmailIdentity', 'none', 'example.com', 'in the SES sandbox, only verified addresses get codes.'],
    ['LogRetentionDays', '30', '7', 'AWS deletes the logs that are older than 7 days.'],
    ['DeletionProtection', 'true', 'false', 'AWS no longer refuses to delete the stack, the user pool and'],
    ['RestoredTable', 'none', 'restored', 'Members see the messages of the table restored.'],
    ['Totp', 'true', 'false', 'Members who have a second factor sign in with their password alone.'],
    ['ThreatProtection', 'enforced', 'audit', 'Cognito no longer rejects risky sign-ins (audit).'],
    ['Firewall', 'true', 'false', 'Nothing limits the rate of requests any more.'],
    ['AlarmEmail', 'a@example.com', 'b@example.com', 'Nobody gets alarms until b@example.com confirms the'],
    ['MonthlyBudget', '50', '0', 'The budget is deleted.'],
    ['SiteServer', 'none', 'a.example', 'The DNS record of the main origin has to lead to the output'],
    ['PermissionsBoundary', 'none', 'limits', 'Members and the API can do only what the policy limits'],
  ])('%s has an effect that the plan notes: from %s to %s', (parameter, before, after, text) => {
    expect(effectOf(parameter, before, after)).toEqual([
      { text: expect.stringContaining(text), isInterruption: false },
    ]);
  });
});

describe('an option', () => {
  const withDomain = { CustomDomain: 'login.example.com', CertificateId: CERTIFICATE };
  const withSite = {
    SiteServer: 'server.example.com',
    SiteDomain: 'site.example.com',
    SiteCertificateId: CERTIFICATE,
  };
  const otherCertificate = '1a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';

  /** The option and its value, the parameters before, and the changes. */
  const rows: readonly [string, string, Record<string, string>, string][] = [
    ['origin', 'https://example.com', {}, 'change UserPoolClient'],
    ['domain-prefix', 'another', {}, 'REPLACE UserPoolDomain'],
    ['custom-domain', 'login.example.com', {}, 'create CustomUserPoolDomain'],
    ['custom-domain', 'none', withDomain, 'DELETE CustomUserPoolDomain'],
    ['custom-domain', 'sign-in.example.com', withDomain, 'REPLACE CustomUserPoolDomain'],
    ['certificate', otherCertificate, withDomain, 'change CustomUserPoolDomain'],
    ['guests', 'false', {}, 'DELETE GuestRole, change IdentityPool, change IdentityPoolRoles'],
    ['email-identity', 'example.com', {}, 'change UserPool'],
    ['email-from', 'a@example.com', { EmailIdentity: 'example.com' }, 'change UserPool'],
    ['log-retention-days', '7', {}, 'change ApiLogGroup'],
    ['tracing', 'true', {}, 'change GraphQLApi'],
    ['deletion-protection', 'false', {}, 'change UserPool, change MessagesTable'],
    ['restored-table', 'other', {}, 'change GraphQLApi, change MessagesDataSource, change DataSourceRole'],
    ['totp', 'true', {}, 'change UserPool'],
    ['threat-protection', 'enforced', {}, 'change UserPool, create RiskConfiguration'],
    [
      'firewall',
      'true',
      {},
      'create LoginWebAcl, create LoginFirewall, create ApiWebAcl, create ApiFirewall',
    ],
    ['alarm-email', 'b@example.com', { AlarmEmail: 'a@example.com' }, 'change AlarmTopic'],
    ['monthly-budget', '50', {}, 'create Budget'],
    ['site-server', 'server2.example.com', withSite, 'change Distribution'],
    ['site-domain', 'www.example.com', withSite, 'change Distribution'],
    ['site-certificate', otherCertificate, withSite, 'change Distribution'],
    [
      'permissions-boundary',
      'a',
      {},
      'change MemberRole, change GuestRole, change DataSourceRole, change LogRole',
    ],
  ];

  it('is tried for each parameter', () => {
    expect([...new Set(rows.map(([option]) => option))]).toEqual(
      parameterOptions.map(({ option }) => option),
    );
  });

  it.each(rows)('--%s %s changes these resources and no others, from %j: %s', (option, value, from, plan) => {
    const { parameter = '', parse } = parameterOptions.find((candidate) => candidate.option === option) ?? {};
    const given = parse?.(value) ?? '';
    const accepted = template.Parameters[parameter];
    expect(accepted && rejectParameter(parameter, given, accepted)).toBeNull();
    const deployed = (parameters: Record<string, string>) =>
      evaluateResources(evaluationOf(template, parameters, place));
    const policies = { before: template, after: template };
    const changes = planChanges(deployed(from), deployed({ ...from, [parameter]: given }), policies);
    const names = formatPlan(changes).map((line) => line.replace(/^ {2}[+~!] (\w+) +(\w+).*$/, '$1 $2'));
    expect(names.join(', ')).toBe(plan);
  });
});

describe('a deployment', () => {
  it('notes an effect and goes on', async () => {
    addDeployedStack(account);
    const { code, output } = await deploy('--yes', '--log-retention-days', '7');
    expect(output).toContain('  ! AWS deletes the logs that are older than 7 days.\n');
    expect(output).toContain('  ~ change   ApiLogGroup (AWS::Logs::LogGroup): RetentionInDays\n');
    expect(code).toBe(0);
  });

  it('stops something that visitors use only if that is allowed', async () => {
    addDeployedStack(account);
    const refused = await deploy('--yes', '--guests', 'false');
    expect(refused.output).toContain('  ! Visitors who are not signed in get no identity');
    expect(refused.output).toContain(
      'The plan stops something that visitors use, and --yes does not include',
    );
    expect(account.calls).not.toContain('ExecuteChangeSet');
    expect(refused.code).toBe(1);
    const { code, output } = await deploy('--yes', '--allow-replacement', '--guests', 'false');
    expect(output).toContain('The stack "tenfold" is ready.');
    expect(code).toBe(0);
  });

  it.each([
    ['--domain-prefix', 'The prefix of the hosted login cannot be changed: sign-in would stop.'],
    ['--custom-domain', 'The custom domain cannot be changed in one step: sign-in would stop.'],
  ])('refuses another %s, whatever is allowed', async (option, message) => {
    const parameters = { DomainPrefix: 'present', CustomDomain: 'a.example', CertificateId: CERTIFICATE };
    addDeployedStack(account, { parameters });
    const value = option === '--domain-prefix' ? 'another' : 'b.example';
    for (const mode of [['--plan'], ['--yes', '--allow-replacement']]) {
      const { code, output } = await deploy(...mode, option, value);
      expect(output).toContain(
        '(AWS::Cognito::UserPoolDomain): the site loses this address of its hosted login',
      );
      expect(output).toContain(`${message} Nothing was changed.`);
      expect(code).toBe(1);
    }
    expect(account.calls).not.toContain('ExecuteChangeSet');
  });
});

describe('CloudFormation', () => {
  it('may replace the API when its user pool settings change, which needs a confirmation', async () => {
    addDeployedStack(account, {
      change: ({ Resources }) =>
        Object.assign(Resources.GraphQLApi?.Properties ?? {}, { UserPoolConfig: { DefaultAction: 'DENY' } }),
    });
    const { code, output } = await deploy('--yes');
    expect(output).toContain(
      '~ change   GraphQLApi (AWS::AppSync::GraphQLApi): UserPoolConfig; may be REPLACED',
    );
    expect(code).toBe(1);
  });

  it('restores the previous state after a failed update, or is not said to have restored it', async () => {
    addDeployedStack(account);
    const { failures, rollbackFailures } = account.cloudFormation;
    const update = () => deploy('--yes', '--tracing', 'true', '--log-retention-days', '90');
    failures.set('ApiLogGroup', 'Rate exceeded');
    const restored = await update();
    expect(restored.output).toContain(
      'The stack is now in the state UPDATE_ROLLBACK_COMPLETE. The previous state is restored.',
    );
    expect(restored.code).toBe(1);
    rollbackFailures.set('GraphQLApi', 'Access denied');
    const { code, output } = await update();
    expect(output).toContain(
      'The stack is now in the state UPDATE_ROLLBACK_FAILED. The previous state is not restored',
    );
    expect(output).toContain('"Continue update rollback"');
    expect(code).toBe(1);
  });
});

describe('the early validation', () => {
  const conflict = {
    LogicalResourceId: 'ApiLogGroup',
    ValidationStatusReason:
      "Resource of type 'AWS::Logs::LogGroup' with identifier '/aws/appsync/apis/a' already exists.",
  };

  it('is explained with its reasons before the change set and the new stack are deleted', async () => {
    account.cloudFormation.earlyFailures = [conflict];
    const { code, output } = await deploy('--yes');
    expect(output).toContain(`ApiLogGroup (AWS::Logs::LogGroup): ${conflict.ValidationStatusReason}\n`);
    expect(account.calls.filter((call) => /^De(?:lete|scribeEvents)/.test(call))).toEqual([
      'DescribeEvents',
      'DeleteChangeSet',
      'DeleteStack',
    ]);
    expect(code).toBe(1);
  });

  it('is reported as such when its reasons may not be read', async () => {
    account.cloudFormation.earlyFailures = [conflict];
    account.denied.add('cloudformation:DescribeEvents');
    const { output } = await deploy('--yes');
    expect(output).toMatch(/^CloudFormation cannot plan the changes: .*AWS::EarlyValidation/);
    expect(output).toContain('is not authorized to perform: cloudformation:DescribeEvents');
  });
});

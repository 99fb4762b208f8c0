/** Changes of a live stack: what the plan says about each parameter, and the rules of CloudFormation and Cognito. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareTemplate } from '../stack/template.ts';
import { parameterOptions } from '../stack/template-parameters.ts';
import { type AwsAccount, startAwsAccount } from './support/aws-account.ts';
import { runAwsCommand } from './support/aws-command.ts';
import { parameterValues } from './support/template-values.ts';
import { parseTemplate, type Template } from './support/template-yaml.ts';

const CERTIFICATE = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const certificateArn = (id: string) => `arn:aws:acm:us-east-1:123456789012:certificate/${id}`;
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

/** A live stack with these parameters. `change` edits the template that it was deployed from. */
function addStack(parameters: Record<string, string> = {}, change: (template: Template) => void = () => {}) {
  const template = parseTemplate(prepareTemplate());
  const deployed = { template, parameters: parameterValues(template, parameters) };
  change(template);
  const tags = [{ Key: 'tenfold:created-by', Value: 'aws:deploy' }];
  return account.cloudFormation.addStack('tenfold', 'UPDATE_COMPLETE', { ...deployed, tags });
}

const withDomain = { CustomDomain: 'login.example.com', CertificateId: CERTIFICATE };
const withDomainArgs = ['--custom-domain', 'login.example.com', '--certificate', certificateArn(CERTIFICATE)];

const withSite = { SiteDomain: 'site.example.com', SiteCertificateId: CERTIFICATE };
const withSiteArgs = ['--site-domain', 'site.example.com', '--site-certificate', certificateArn(CERTIFICATE)];

type Row = {
  parameter: string;
  from?: Record<string, string>;
  args: readonly string[];
  /** What the plan says about losses and interruptions, in its words. */
  says: readonly string[];
  /** Whether `--yes` alone does it. */
  isRefused?: true;
};

const rows: readonly Row[] = [
  {
    parameter: 'Origins',
    from: { Origins: 'https://a.example,https://b.example' },
    args: ['--origin', 'https://b.example'],
    says: ['! Nobody can sign in at https://a.example any more.', '~ change   UserPoolClient'],
    isRefused: true,
  },
  {
    parameter: 'Origins',
    args: ['--origin', 'https://example.com'],
    says: ['! Nobody can sign in at http://localhost:3000 any more.'],
  },
  {
    parameter: 'DomainPrefix',
    args: ['--domain-prefix', 'another'],
    says: [
      '! REPLACE  UserPoolDomain (AWS::Cognito::UserPoolDomain): the site loses this address of its hosted login',
      'The prefix of the hosted login cannot be changed: sign-in would stop. Nothing was changed.',
    ],
    isRefused: true,
  },
  {
    parameter: 'CustomDomain',
    args: withDomainArgs,
    says: [
      '! The hosted login keeps its present address too. Sites use login.example.com after npm run aws:env, so wait',
      '+ create   CustomUserPoolDomain',
    ],
  },
  {
    parameter: 'CustomDomain',
    from: withDomain,
    args: ['--custom-domain', 'none'],
    says: [
      '! Sites whose COGNITO_DOMAIN is https://login.example.com cannot sign anybody in.',
      '! DELETE   CustomUserPoolDomain (AWS::Cognito::UserPoolDomain): the site loses this address of its hosted login',
    ],
    isRefused: true,
  },
  {
    parameter: 'CustomDomain',
    from: withDomain,
    args: ['--custom-domain', 'sign-in.example.com'],
    says: ['The custom domain cannot be changed in one step: sign-in would stop. Nothing was changed.'],
    isRefused: true,
  },
  {
    parameter: 'CertificateId',
    from: withDomain,
    args: ['--certificate', certificateArn('1a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9')],
    says: ['! It can take up to an hour until the custom domain uses the new certificate.'],
  },
  {
    parameter: 'Guests',
    args: ['--guests', 'false'],
    says: ['! Visitors who are not signed in get no identity', '! DELETE   GuestRole (AWS::IAM::Role)'],
    isRefused: true,
  },
  {
    parameter: 'EmailIdentity',
    args: ['--email-identity', 'example.com', '--email-from', 'a@example.com'],
    says: ['! As long as the account is in the SES sandbox, only verified addresses get codes.'],
  },
  {
    parameter: 'EmailFrom',
    from: { EmailIdentity: 'example.com', EmailFrom: 'a@example.com' },
    args: ['--email-from', 'b@example.com'],
    says: ['~ change   UserPool (AWS::Cognito::UserPool): EmailConfiguration'],
  },
  {
    parameter: 'LogRetentionDays',
    args: ['--log-retention-days', '7'],
    says: ['! AWS deletes the logs that are older than 7 days.'],
  },
  {
    parameter: 'Tracing',
    args: ['--tracing', 'true'],
    says: ['~ change   GraphQLApi (AWS::AppSync::GraphQLApi): XrayEnabled'],
  },
  {
    parameter: 'DeletionProtection',
    args: ['--deletion-protection', 'false'],
    says: ['! AWS no longer refuses to delete the stack, the user pool and the table.'],
  },
  {
    parameter: 'RestoredTable',
    args: ['--restored-table', 'tenfold-restored'],
    says: [
      '! Members see the messages of the table tenfold-restored. Calls of the API may fail for some seconds.',
      '~ change   MessagesDataSource (AWS::AppSync::DataSource): DynamoDBConfig',
    ],
  },
  {
    parameter: 'Totp',
    from: { Totp: 'true' },
    args: ['--totp', 'false'],
    says: ['! Members who have a second factor sign in with their password alone.'],
  },
  {
    parameter: 'ThreatProtection',
    from: { ThreatProtection: 'enforced' },
    args: ['--threat-protection', 'audit'],
    says: ['! Cognito no longer rejects risky sign-ins (audit).', '! DELETE   RiskConfiguration'],
  },
  {
    parameter: 'Firewall',
    from: { Firewall: 'true' },
    args: ['--firewall', 'false'],
    says: ['! Nothing limits the rate of requests any more.', '! DELETE   ApiFirewall'],
  },
  {
    parameter: 'AlarmEmail',
    from: { AlarmEmail: 'a@example.com' },
    args: ['--alarm-email', 'b@example.com'],
    says: ['! Nobody gets alarms until b@example.com confirms the subscription.'],
  },
  {
    parameter: 'MonthlyBudget',
    from: { AlarmEmail: 'a@example.com', MonthlyBudget: '50' },
    args: ['--monthly-budget', '0'],
    says: ['! The budget is deleted.', '! DELETE   Budget'],
  },
  {
    parameter: 'SiteServer',
    args: ['--site-server', 'server.example.com', ...withSiteArgs],
    says: ['! The DNS record of the main origin has to lead to the output DistributionDomain.'],
  },
  {
    parameter: 'SiteServer',
    from: { SiteServer: 'server.example.com', ...withSite },
    args: ['--site-server', 'none'],
    says: ['! Nobody reaches the site while the DNS record of its origin leads to CloudFront.'],
    isRefused: true,
  },
  {
    parameter: 'SiteDomain',
    from: { SiteServer: 'server.example.com', ...withSite },
    args: ['--site-domain', 'www.example.com'],
    says: ['~ change   Distribution'],
  },
  {
    parameter: 'SiteCertificateId',
    from: { SiteServer: 'server.example.com', ...withSite },
    args: ['--site-certificate', certificateArn('9a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9')],
    says: ['~ change   Distribution'],
  },
  {
    parameter: 'PermissionsBoundary',
    args: ['--permissions-boundary', 'limits'],
    says: ['! Members and the API can do only what the policy limits allows too.'],
  },
];

describe('the change of', () => {
  it('each parameter is tried', () => {
    const tried = new Set(rows.map(({ parameter }) => parameter));
    expect([...tried]).toEqual(parameterOptions.map(({ parameter }) => parameter));
  });

  it.each(rows)('$parameter is planned with what it loses or interrupts: $args', async (row) => {
    const { from, args, says, isRefused = false } = row;
    const stack = addStack(from);
    const { code, output } = await deploy('--yes', ...args);
    for (const text of says) expect(output).toContain(text);
    expect(account.calls.includes('ExecuteChangeSet')).toBe(!isRefused);
    expect(stack.status).toBe('UPDATE_COMPLETE');
    expect(code).toBe(isRefused ? 1 : 0);
  });

  it.each(['DomainPrefix', 'CustomDomain'])(
    '%s to another domain is refused in every mode',
    async (parameter) => {
      const row = rows.findLast((candidate) => candidate.parameter === parameter);
      addStack(row?.from);
      for (const mode of [['--plan'], ['--yes', '--allow-replacement']]) {
        const { code, output } = await deploy(...mode, ...(row?.args ?? []));
        expect(output).toContain('sign-in would stop. Nothing was changed.');
        expect(code).toBe(1);
      }
      expect(account.calls).not.toContain('ExecuteChangeSet');
    },
  );

  it('an interruption is made when it is allowed', async () => {
    addStack();
    const { code, output } = await deploy('--yes', '--allow-replacement', '--guests', 'false');
    expect(output).toContain('The stack "tenfold" is ready.');
    expect(code).toBe(0);
  });
});

describe('a restored table', () => {
  it('is used and left again without a replacement, and the table of the stack stays as it is', async () => {
    const stack = addStack();
    const before = stack.deployed;
    for (const table of ['tenfold-restored', 'none']) {
      const { code, output } = await deploy('--yes', '--restored-table', table);
      const changed = [...output.matchAll(/~ change {3}(\w+)/g)].map(([, id]) => id);
      expect(changed).toEqual(['GraphQLApi', 'MessagesDataSource', 'DataSourceRole']);
      expect(output).not.toMatch(/REPLACE|DELETE|create/);
      expect(code).toBe(0);
    }
    expect(stack.deployed?.template).toEqual(before?.template);
  });
});

describe('CloudFormation', () => {
  it('refuses a second domain of the user pool, which is explained', async () => {
    addStack({}, (template) => {
      const { UserPoolDomain, ...others } = template.Resources;
      template.Resources = { ...others, ...(UserPoolDomain && { EarlierDomain: UserPoolDomain }) };
      template.Outputs = {};
    });
    const { code, output } = await deploy('--yes', '--allow-replacement');
    expect(output).toContain(
      'UserPoolDomain (AWS::Cognito::UserPoolDomain) failed: User pool already has a domain configured.\n' +
        'A user pool has one domain in amazoncognito.com and one custom domain, and neither can be replaced in one step.',
    );
    expect(output).toContain(
      'The stack is now in the state UPDATE_ROLLBACK_COMPLETE. The previous state is restored.',
    );
    expect(code).toBe(1);
  });

  it('keeps a replaced table, and deletes what else was replaced after the update', async () => {
    addStack({}, ({ Resources }) => {
      Object.assign(Resources.MessagesTable?.Properties ?? {}, { TableName: 'messages' });
      Object.assign(Resources.UserPoolClient?.Properties ?? {}, { GenerateSecret: false });
    });
    const { output } = await deploy('--yes', '--allow-replacement');
    const end = output.slice(output.indexOf('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'));
    expect(end).toContain('DELETE_COMPLETE  UserPoolClient');
    expect(end).toContain('DELETE_SKIPPED  MessagesTable');
  });

  it('may replace the API when its user pool settings change, which needs a confirmation', async () => {
    addStack({}, ({ Resources }) => {
      Object.assign(Resources.GraphQLApi?.Properties ?? {}, { UserPoolConfig: { DefaultAction: 'DENY' } });
    });
    const { code, output } = await deploy('--yes');
    expect(output).toContain(
      '~ change   GraphQLApi (AWS::AppSync::GraphQLApi): UserPoolConfig; may be REPLACED',
    );
    expect(code).toBe(1);
  });

  it('that cannot restore the previous state is not said to have restored it', async () => {
    addStack();
    const { failures, rollbackFailures } = account.cloudFormation;
    failures.set(
      'ApiLogGroup',
      'Resource handler returned message: "Rate exceeded" (RequestToken: 1a2b, HandlerErrorCode: Throttling)',
    );
    rollbackFailures.set(
      'GraphQLApi',
      'Resource handler returned message: "Access denied" (RequestToken: 1a2b, HandlerErrorCode: AccessDenied)',
    );
    const { code, output } = await deploy('--yes', '--tracing', 'true', '--log-retention-days', '90');
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
    ValidationName: 'NAME_CONFLICT_VALIDATION',
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

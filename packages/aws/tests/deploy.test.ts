import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../tests/support/timing/wait-until.ts';
import { prepareTemplate } from '../stack/template.ts';
import { type AwsAccount, addDeployedStack, OWN_TAGS, startAwsAccount } from './support/aws-account.ts';
import { type CommandSetup, hasTerminals, runAwsCommand, startAwsCommand } from './support/aws-command.ts';
import { parseTemplate, type Template } from './support/template-yaml.ts';

const FAST = ['--interval', '0'];
const folder = mkdtempSync(join(tmpdir(), 'tenfold-deploy-'));
let account: AwsAccount;

beforeEach(async () => {
  account = await startAwsAccount();
});
afterEach(() => account.close());
afterAll(() => rmSync(folder, { recursive: true }));

function deploy(args: readonly string[], environment: CommandSetup['environment'] = {}) {
  return runAwsCommand('deploy', [...FAST, ...args], { account, folder, environment });
}

/** Edits the template of a deployed stack so that the next deployment replaces the app client. */
function replacesClient({ Resources }: Template): void {
  Object.assign(Resources.UserPoolClient?.Properties ?? {}, { GenerateSecret: false });
}

/** The operations that change something. */
function changingCalls(): string[] {
  return account.calls.filter((call) => !/^(?:Describe|List)/.test(call));
}

describe('a first deployment', () => {
  it('shows its plan and its progress, deploys the prepared template, and marks the stack as its own', async () => {
    const { code, output } = await deploy(['--yes', '--origin', 'https://example.com', '--guests', 'false']);
    expect(output).toContain('Create the stack "tenfold" in eu-central-1, AWS account 123456789012:');
    expect(output).toContain('  Origins: https://example.com\n  Guests: false\n');
    expect(output).toContain('  + create   UserPool (AWS::Cognito::UserPool)');
    expect(output).not.toContain('GuestRole');
    expect(output).toMatch(/\d\d:\d\d:\d\d {2}CREATE_IN_PROGRESS {2}the stack/);
    const created = [...output.matchAll(/\+ create {3}(\w+)/g)].map(([, id]) => id);
    expect([...output.matchAll(/CREATE_COMPLETE {2}(\w+) \(/g)].map(([, id]) => id)).toEqual(created);
    expect(output).toMatch(/The stack "tenfold" is ready\.\nNext, .*: npm run aws:env\n$/);
    const [stack] = account.cloudFormation.stacks;
    expect(stack?.deployed?.template).toEqual(parseTemplate(prepareTemplate()));
    expect(stack?.deployed?.tags).toEqual(OWN_TAGS);
    expect(code).toBe(0);
  });

  it('protects the stack from deletion, unless the user pool and the table are not protected', async () => {
    const { output } = await deploy(['--yes']);
    const [stack] = account.cloudFormation.stacks;
    expect(output).toContain('The termination protection of the stack is on now.\n');
    expect(stack?.isProtected).toBe(true);
    const { output: removed } = await deploy(['--yes', '--deletion-protection', 'false']);
    expect(removed).toContain('The termination protection of the stack is off now.\n');
    expect(stack?.isProtected).toBe(false);
  });

  it('names the target of the DNS record of a custom domain', async () => {
    const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
    const { output } = await deploy(['--yes', '--custom-domain', 'login.example.com', '--certificate', arn]);
    expect(output).toContain(
      'from the custom domain to d111111abcdef8.cloudfront.net, and go on when the domain responds.',
    );
  });

  it('leaves nothing behind when only the plan is wanted', async () => {
    const { code, output } = await deploy(['--plan']);
    expect(output).toContain('+ create   UserPool');
    expect(output).toContain('Nothing was changed.');
    expect(changingCalls()).toEqual(['CreateChangeSet', 'DeleteChangeSet', 'DeleteStack']);
    expect(account.cloudFormation.stacks.map(({ status }) => status)).toEqual(['DELETE_COMPLETE']);
    expect(code).toBe(0);
  });

  it('uses what an interrupted deployment prepared', async () => {
    account.cloudFormation.addStack('tenfold', 'REVIEW_IN_PROGRESS', null);
    const { code } = await deploy(['--yes']);
    expect(code).toBe(0);
  });
});

describe('an update', () => {
  it('changes what differs and keeps the parameters, tags and service role that are not given', async () => {
    const serviceRole = 'arn:aws:iam::123456789012:role/tenfold-github-ServiceRole-1A2B3C4D5E6F';
    const kept = ['--tracing', 'true', '--tag', 'environment=staging', '--service-role', serviceRole];
    await deploy(['--yes', '--origin', 'https://a.example', ...kept]);
    const origins = ['--origin', 'https://a.example', '--origin', 'https://b.example'];
    const { code, output } = await deploy(['--yes', ...origins]);
    expect(output).toContain('Update the stack "tenfold"');
    expect(output).toContain('  Origins: https://a.example -> https://a.example,https://b.example\n');
    expect(output).toContain(
      '  ~ change   UserPoolClient (AWS::Cognito::UserPoolClient): CallbackURLs, LogoutURLs\n',
    );
    expect(output).not.toContain('GraphQLApi (');
    expect(output).toContain('UPDATE_COMPLETE  the stack');
    expect(account.cloudFormation.stacks[0]?.deployed).toMatchObject({
      parameters: { Origins: 'https://a.example,https://b.example', Tracing: 'true' },
      tags: [...OWN_TAGS, { Key: 'environment', Value: 'staging' }],
      serviceRole,
    });
    expect(code).toBe(0);
  });

  it('changes the tags that are given, and removes those with an empty value', async () => {
    const tags = [
      { Key: 'environment', Value: 'staging' },
      { Key: 'team', Value: 'web' },
    ];
    const stack = addDeployedStack(account, { tags: [...OWN_TAGS, ...tags] });
    const { output } = await deploy(['--yes', '--tag', 'team=', '--tag', 'environment=test=1']);
    expect(output).toContain('  ~ change   UserPool (AWS::Cognito::UserPool): Tags\n');
    expect(stack.deployed?.tags).toEqual([...OWN_TAGS, { Key: 'environment', Value: 'test=1' }]);
  });

  it('completes a stack that has imported a kept user pool and table, and replaces neither', async () => {
    addDeployedStack(account, {
      status: 'IMPORT_COMPLETE',
      change(template) {
        const { UserPool, MessagesTable } = template.Resources;
        if (UserPool && MessagesTable) template.Resources = { UserPool, MessagesTable };
      },
    });
    const { code, output } = await deploy(['--yes']);
    expect(output).toContain('  + create   UserPoolClient (AWS::Cognito::UserPoolClient)\n');
    expect(output).not.toMatch(/(?:UserPool|MessagesTable) \(/);
    expect(code).toBe(0);
  });

  it('of a stack with another name leaves the first one as it is', async () => {
    const live = addDeployedStack(account, { parameters: { Origins: 'https://example.com' } });
    const { output } = await deploy(['--yes', '--stack-name', 'tenfold-staging', '--tracing', 'true']);
    expect(output).toMatch(/npm run aws:env -- --stack-name tenfold-staging\n$/);
    expect(live.deployed).toMatchObject({ parameters: { Origins: 'https://example.com' } });
    expect(account.cloudFormation.find('tenfold-staging').deployed?.parameters).toEqual({ Tracing: 'true' });
  });

  it('says that nothing changes, and leaves no change set', async () => {
    addDeployedStack(account);
    const { code, output } = await deploy(['--yes']);
    expect(output).toBe('The stack "tenfold" is up to date. Nothing was changed.\n');
    expect(changingCalls()).toEqual(['CreateChangeSet', 'DeleteChangeSet']);
    expect(code).toBe(0);
  });

  it('shows replacements and deletions first, and what they lose', async () => {
    addDeployedStack(account, {
      change({ Resources }) {
        Object.assign(Resources.UserPoolClient?.Properties ?? {}, { AccessTokenValidity: 5 });
        Object.assign(Resources.MessagesTable?.Properties ?? {}, { TableName: 'messages' });
        Resources.OldTable = { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Delete', Properties: {} };
      },
    });
    const { output } = await deploy(['--plan']);
    expect(output.split('\n').slice(1, 4)).toEqual([
      '  ! DELETE   OldTable (AWS::DynamoDB::Table): the site loses all messages; the present one is deleted',
      '  ! REPLACE  MessagesTable (AWS::DynamoDB::Table): the site loses all messages; the present one stays in the account, unused',
      '  ~ change   UserPoolClient (AWS::Cognito::UserPoolClient): AccessTokenValidity',
    ]);
  });

  it('does not lose data without a confirmation of its own', async () => {
    addDeployedStack(account, { change: replacesClient });
    const refused = await deploy(['--yes']);
    expect(refused.output).toContain(
      'The plan replaces or deletes what holds data or an address, and --yes does not include that. Nothing was changed.',
    );
    expect(changingCalls()).toEqual(['CreateChangeSet', 'DeleteChangeSet']);
    expect(refused.code).toBe(1);
    const accepted = await deploy(['--yes', '--allow-replacement']);
    expect(accepted.code).toBe(0);
  });
});

describe('a failed deployment', () => {
  it('is explained with the first resource that failed, its reason, what to do, and what is left', async () => {
    account.cloudFormation.failures.set(
      'MessagesTable',
      'Resource handler returned message: "User: arn:aws:iam::123456789012:user/deployer is not authorized to perform: dynamodb:CreateTable (Service: DynamoDb, Status Code: 400, Request ID: 0A1B)" (RequestToken: 1a2b, HandlerErrorCode: AccessDenied)',
    );
    const { code, output } = await deploy(['--yes']);
    const explanation = output.slice(output.indexOf('MessagesTable (AWS::DynamoDB::Table) failed:'));
    expect(explanation.trim().split('\n')).toEqual([
      'MessagesTable (AWS::DynamoDB::Table) failed: User: arn:aws:iam::123456789012:user/deployer is not authorized to perform: dynamodb:CreateTable',
      'The AWS user or role lacks this permission. docs/deploy-to-aws.md lists the permissions.',
      'These resources were kept, and you can delete them in the AWS console: UserPool eu-central-1_TenfoldP1.',
      'The stack is now in the state ROLLBACK_COMPLETE. The site cannot use this stack.',
    ]);
    expect(code).toBe(1);
  });

  it('is deleted and created again by the next one', async () => {
    account.cloudFormation.failures.set('UserPoolDomain', 'Domain already associated with another user pool');
    await deploy(['--yes']);
    account.cloudFormation.failures.clear();
    const { code, output } = await deploy(['--yes']);
    expect(output).toMatch(/^The creation of the stack "tenfold" failed earlier \(ROLLBACK_COMPLETE\)\./);
    expect(output).toContain('DELETE_COMPLETE  the stack');
    expect(output).toContain('The stack "tenfold" is ready.');
    expect(code).toBe(0);
  });

  it('is not deleted when it is protected from termination', async () => {
    addDeployedStack(account, { status: 'ROLLBACK_COMPLETE' }).isProtected = true;
    const { code, output } = await deploy(['--yes']);
    expect(output).toContain('cannot be deleted while TerminationProtection is enabled');
    expect(code).toBe(1);
  });
});

describe('a stack that cannot be deployed to', () => {
  it('was not created by this command, by its tags', async () => {
    addDeployedStack(account, { tags: [{ Key: 'tenfold:created-by', Value: 'other-tool' }] });
    for (const args of [['--yes'], ['--follow']]) {
      const { code, output } = await deploy(args);
      expect(output).toBe(
        'The stack "tenfold" was not created by npm run aws:deploy, so nothing was changed. Choose another name with --stack-name.\n',
      );
      expect(code).toBe(1);
    }
    expect(changingCalls()).toEqual([]);
  });

  it('has an unfinished change set that this command did not create', async () => {
    const stack = account.cloudFormation.addStack('tenfold', 'REVIEW_IN_PROGRESS', null);
    const deployed = { template: parseTemplate(prepareTemplate()), parameters: {}, tags: [] };
    stack.changeSets = [
      { ...deployed, id: 'foreign', kind: 'CREATE', description: '', changes: [], descriptions: 0 },
    ];
    const { code, output } = await deploy(['--yes']);
    expect(output).toContain(
      'The stack "tenfold" has an unfinished change set that this command did not create, so nothing was changed.',
    );
    expect(changingCalls()).toEqual([]);
    expect(code).toBe(1);
  });

  it.each([
    [
      'UPDATE_IN_PROGRESS',
      /^An operation is in progress on the stack "tenfold" \(UPDATE_IN_PROGRESS\)\. Show it with: npm run aws:deploy -- --follow --region eu-central-1\n$/,
    ],
    [
      'UPDATE_ROLLBACK_FAILED',
      /the state UPDATE_ROLLBACK_FAILED and accepts no changes\. In the CloudFormation/,
    ],
    [
      'DELETE_FAILED',
      /is in the state DELETE_FAILED and accepts no changes\. In the CloudFormation console,/,
    ],
  ])('is in the state %s', async (status, message) => {
    addDeployedStack(account, { status });
    const { code, output } = await deploy(['--yes']);
    expect(output).toMatch(message);
    expect(changingCalls()).toEqual([]);
    expect(code).toBe(1);
  });
});

describe.skipIf(!hasTerminals /* only `script` of util-linux opens one */)('in a terminal', () => {
  const answer = (text: string) => runAwsCommand('deploy', FAST, { account, folder, answer: text });

  it('the plan is shown, and deployed after a yes', async () => {
    const { code, output } = await answer('y\r');
    expect(output).toMatch(
      /\+ create {3}UserPool [\s\S]*Deploy\? \[y\/N\][\s\S]*The stack "tenfold" is ready\./,
    );
    expect(code).toBe(0);
  });

  it.each([
    ['any other answer', '\r', 'Nothing was changed.', 0],
    ['the end of the input', '\x04', 'Nothing was changed.', 0],
    ['Ctrl-C', '\x03', 'Interrupted. Nothing was changed.', 130],
  ])('nothing is left behind after %s', async (_case, keys, message, expected) => {
    const { code, output } = await answer(keys);
    expect(output).toContain(message);
    expect(changingCalls()).toEqual(['CreateChangeSet', 'DeleteChangeSet', 'DeleteStack']);
    expect(code).toBe(expected);
  });

  it('replacements are red words', async () => {
    addDeployedStack(account, { change: replacesClient });
    const { output } = await answer('n\r');
    expect(output).toContain('\u001b[31m  ! REPLACE  UserPoolClient');
  });

  it('a stack of a failed creation is kept unless its deletion is confirmed', async () => {
    addDeployedStack(account, { status: 'ROLLBACK_COMPLETE' });
    const { code, output } = await answer('n\r');
    expect(output).toContain('Delete it now? [y/N]');
    expect(changingCalls()).toEqual([]);
    expect(code).toBe(1);
  });
});

describe('an interruption', () => {
  it('during the deployment says that it continues, and how to follow it', async () => {
    account.cloudFormation.eventsPerRequest = 0;
    const { child, result } = await startAwsCommand('deploy', [...FAST, '--yes'], { account, folder });
    account.beforeCall = (action) => {
      if (action === 'DescribeStackEvents' && account.calls.includes('ExecuteChangeSet'))
        child.kill('SIGINT');
    };
    const { code, output } = await result;
    expect(output).toContain(
      'The deployment goes on in AWS. Show its progress with: npm run aws:deploy -- --follow --region eu-central-1',
    );
    expect(code).toBe(130);

    account.beforeCall = () => {};
    // More than CloudFormation lists in one page.
    account.cloudFormation.eventsPerRequest = 100;
    const followed = await deploy(['--follow']);
    const progress = followed.output.split('\n').filter((line) => /_(?:IN_PROGRESS|COMPLETE) {2}/.test(line));
    expect(progress[0]).toMatch(/CREATE_IN_PROGRESS {2}the stack$/);
    expect(progress).toHaveLength(2 + 2 * [...output.matchAll(/\+ create/g)].length);
    expect(followed.output).toContain('The termination protection of the stack is on now.');
    expect(followed.output).toContain('The stack "tenfold" is ready.');
    expect(followed.code).toBe(0);
  });

  it('is followed to the result of the last operation only', async () => {
    const stack = addDeployedStack(account);
    stack.addStackEvent('CREATE_IN_PROGRESS');
    stack.addStackEvent('CREATE_COMPLETE');
    await deploy(['--yes', '--tracing', 'true']);
    const { code, output } = await deploy(['--follow']);
    expect(output).toMatch(/^ {2}[\d:]{8} {2}UPDATE_IN_PROGRESS {2}the stack\n/);
    expect(output).not.toContain('CREATE_');
    expect(code).toBe(0);
  });

  it('just before the deployment does not start it', async () => {
    const { child, result } = await startAwsCommand('deploy', [...FAST, '--yes'], { account, folder });
    account.beforeCall = async (action) => {
      if (action !== 'DescribeStackEvents') return;
      child.kill('SIGINT');
      await waitUntil(() => account.calls.includes('DeleteChangeSet'), {
        message: () => `The change set was not deleted: ${account.calls}`,
      });
    };
    const { code } = await result;
    expect(account.calls).not.toContain('ExecuteChangeSet');
    expect(code).toBe(130);
  });

  it.each(['DescribeStacks', 'CreateChangeSet', 'DescribeChangeSet'])(
    'before the deployment leaves nothing behind: during %s',
    async (operation) => {
      const { child, result } = await startAwsCommand('deploy', [...FAST, '--yes'], { account, folder });
      account.beforeCall = (action) => {
        if (action === operation) child.kill('SIGTERM');
      };
      const { code, output } = await result;
      expect(output).toMatch(/\nInterrupted\. Nothing was changed\.\n$/);
      expect(account.calls).not.toContain('ExecuteChangeSet');
      for (const { status } of account.cloudFormation.stacks) expect(status).toBe('DELETE_COMPLETE');
      expect(code).toBe(130);
    },
  );

  it('of the connection says that the deployment continues', async () => {
    account.beforeCall = (action) => {
      if (action === 'DescribeStackEvents' && account.calls.includes('ExecuteChangeSet'))
        account.denied.add(`cloudformation:${action}`);
    };
    const { code, output } = await deploy(['--yes', '--stack-name', 'my-site']);
    expect(output).toContain(
      'The AWS user or role lacks a permission: User: arn:aws:iam::123456789012:user/deployer is not authorized to perform: cloudformation:DescribeStackEvents',
    );
    expect(output).toContain(
      'goes on in AWS. Show its progress with: npm run aws:deploy -- --follow --stack-name my-site',
    );
    expect(code).toBe(1);
  });
});

describe('without access to AWS', () => {
  it.each([
    [
      'there are no credentials',
      { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
      /^There are no usable AWS credentials \(.*\)\. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID/,
    ],
    [
      'the profile does not exist',
      { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_PROFILE: 'missing' },
      /^The AWS profile missing, which AWS_PROFILE names, has no usable credentials \(/,
    ],
    [
      'AWS does not accept the credentials in this region',
      { AWS_REGION: 'ap-east-2' },
      /^AWS does not accept these credentials in ap-east-2\. Check the access key, and whether the region/,
    ],
    ['no region is set', { AWS_REGION: undefined }, /^There is no AWS region\. Add --region/],
    [
      'AWS cannot be reached',
      { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' },
      /^AWS cannot be reached \(ECONNREFUSED\)/,
    ],
  ])('one sentence says that %s', async (_case, environment, message) => {
    const { code, output } = await deploy(['--yes'], environment);
    expect(output).toMatch(message);
    expect(output.trim()).not.toContain('\n');
    expect(changingCalls()).toEqual([]);
    expect(code).toBe(1);
  });
});

describe('the command line', () => {
  it.each([
    [['--no-such-option'], /^Unknown option '--no-such-option'\. Add --help/],
    [['--yes', '--tag', 'staging'], /^--tag must be KEY=VALUE/],
    [['--yes', '--tag', 'aws:team=web'], /^--tag must be KEY=VALUE/],
    [['--yes', '--tag', 'tenfold:created-by=me'], /^--tag must be KEY=VALUE/],
    [['--yes', '--service-role', 'deployer'], /^--service-role must be the ARN of an IAM role\./],
    [[], /^There is no terminal to ask for confirmation\. Add --yes to deploy, or --plan/],
  ])('%j is refused in one sentence, with exit code 2', async (args, message) => {
    const { code, output } = await runAwsCommand('deploy', args, { account, folder });
    expect(output).toMatch(message);
    expect(output.trim()).not.toContain('\n');
    expect(account.calls).toEqual([]);
    expect(code).toBe(2);
  });

  it('--help explains every option and the exit codes', async () => {
    const { code, output } = await runAwsCommand('deploy', ['--help'], { account, folder, fromSource: true });
    for (const text of ['--stack-name NAME', '--origin URL', '--yes', '--follow', 'Exit codes: 0 done, 1 ']) {
      expect(output).toContain(text);
    }
    expect(code).toBe(0);
  });
});

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatChanges, refuseLosses } from '../changes.ts';
import { MAX_BODY_BYTES, parseTemplate } from '../template.ts';
import { AwsStandIn, OWN_TAGS } from './support/aws-stand-in.ts';
import { copyProject, runCommand } from './support/run-command.ts';

let account: AwsStandIn;
let folder: string;

beforeEach(async () => {
  account = new AwsStandIn();
  await account.start();
  folder = copyProject();
});
afterEach(async () => {
  await account.close();
  rmSync(folder, { recursive: true });
});

const deploy = (args: readonly string[], input?: string) =>
  runCommand('deploy', args, { folder, account, ...(input ? { input } : {}) });
const changed = (LogicalResourceId: string, ResourceType: string) => ({
  Action: 'Modify',
  LogicalResourceId,
  ResourceType,
  Replacement: 'False',
  Details: [{ Target: { Attribute: 'Properties', Name: 'First' } }],
});
const pool = changed('UserPool', 'AWS::Cognito::UserPool');
const isChangingCall = (call: string) => !/^Describe/.test(call);

function edit(file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

it('a first deployment shows its plan, asks, shows the progress, and protects its own stack', async () => {
  account.firstEvents = 5;
  const { code, output } = await deploy(
    ['--origin', 'https://a.example', '--origin', 'https://b.example'],
    'y\n',
  );
  expect(output).toContain('Create the stack "tenfold" in eu-central-1, AWS account 123456789012:\n');
  expect(output).toMatch(/\+ create {3}UserPool \(AWS::Cognito::UserPool\)[\s\S]*Deploy\? \[y\/N\]/);
  const stack = account.stacks.get('tenfold');
  const { Resources } = parseTemplate(stack?.template ?? '');
  const completed = [...output.matchAll(/CREATE_COMPLETE {2}(\w+) \(/g)].map(([, id]) => id);
  expect(completed).toEqual(Object.keys(Resources));
  expect(output).toMatch(
    /The stack "tenfold" is ready\.\nCreate a DNS alias record .*\.\n.*npm run aws:env\n$/,
  );
  expect(stack).toMatchObject({
    parameters: { Origins: 'https://a.example,https://b.example' },
    tags: OWN_TAGS,
    isProtected: true,
  });
  expect(code).toBe(0);
});

it.each([['n\n'], ['']])('any answer but yes leaves nothing behind: %j', async (answer) => {
  const { code, output } = await deploy([], answer);
  expect(output).toContain('Nothing was changed.');
  expect(account.calls.filter(isChangingCall)).toEqual(['CreateChangeSet', 'DeleteChangeSet', 'DeleteStack']);
  expect([...account.stacks]).toEqual([]);
  expect(code).toBe(0);
});

it('an update keeps the tags, and the parameters that are not given and that the template still has', async () => {
  const tags = [...OWN_TAGS, { Key: 'team', Value: 'web' }];
  const stack = account.addStack('tenfold', {
    tags,
    parameters: { Tracing: 'true', MonthlyBudget: '50', Guests: 'true' },
  });
  account.changes = [pool];
  const { code, output } = await deploy(['--yes', '--deletion-protection', 'false']);
  expect(output).toContain('Update the stack "tenfold"');
  expect(output).toContain('  ~ change   UserPool (AWS::Cognito::UserPool): First\n');
  expect(stack).toMatchObject({
    tags,
    parameters: { Tracing: 'true', Guests: 'true', DeletionProtection: 'false' },
    isProtected: false,
  });
  expect(stack.parameters).not.toHaveProperty('MonthlyBudget');
  expect(code).toBe(0);
});

it('without changes nothing happens', async () => {
  account.addStack('tenfold');
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain('The stack "tenfold" is up to date.');
  expect(account.calls.filter(isChangingCall)).toEqual(['CreateChangeSet', 'DeleteChangeSet']);
  expect(code).toBe(0);
});

it.each([
  ['AWS::Cognito::UserPool', 'Remove', 'DELETE ', 'all accounts'],
  ['AWS::Cognito::UserPoolClient', 'Modify', 'REPLACE', 'all sessions'],
  ['AWS::Cognito::UserPoolDomain', 'Remove', 'DELETE ', 'this address of its hosted login'],
  ['AWS::Cognito::IdentityPool', 'Remove', 'DELETE ', 'the identities'],
  ['AWS::AppSync::GraphQLApi', 'Modify', 'REPLACE', 'all data until npm run aws:env'],
  ['AWS::DynamoDB::Table', 'Modify', 'REPLACE', 'all messages'],
] as const)('%s is not lost without a decision: %s', (ResourceType, Action, word, loss) => {
  const lost = { Action, ResourceType, LogicalResourceId: 'Lost', PolicyAction: 'ReplaceAndRetain' } as const;
  const ResourceChange = Action === 'Modify' ? ({ ...lost, Replacement: 'True' } as const) : lost;
  const changes = [
    { ResourceChange: { Action: 'Add', LogicalResourceId: 'New' } as const },
    { ResourceChange },
  ];
  expect(formatChanges(changes)[0]).toMatch(
    new RegExp(`^ {2}! ${word} {2}Lost .*the site loses ${loss}.*; the present one stays`),
  );
  expect(() => refuseLosses(changes, [], false)).toThrow('Nothing was changed, because this would lose data');
  expect(() => refuseLosses(changes, [], true)).not.toThrow();
});

it('a refused deployment leaves the stack as it is, and --allow-replacement makes it', async () => {
  account.addStack('tenfold');
  account.changes = [{ ...changed('UserPoolClient', 'AWS::Cognito::UserPoolClient'), Replacement: 'True' }];
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain('  ! REPLACE  UserPoolClient');
  expect(account.calls.filter(isChangingCall)).toEqual(['CreateChangeSet', 'DeleteChangeSet']);
  expect(code).toBe(1);
  expect((await deploy(['--yes', '--allow-replacement'])).code).toBe(0);
});

it('what CloudFormation may replace needs the option too, and a parameter that stops sign-in', async () => {
  account.addStack('tenfold', {
    parameters: { Origins: 'https://a.example,http://localhost:3000', Guests: 'true' },
  });
  account.changes = [{ ...changed('GraphQLApi', 'AWS::AppSync::GraphQLApi'), Replacement: 'Conditional' }];
  const conditional = await deploy(['--yes']);
  expect(conditional.output).toContain('  ! MAY REPLACE  GraphQLApi');
  expect(conditional.code).toBe(1);
  account.changes = [pool];
  const interrupting = await deploy(['--yes', '--origin', 'https://b.example', '--guests', 'false']);
  expect(interrupting.output).toContain(
    '  ! Sign-in stops at https://a.example.\n  ! Guests get no identity',
  );
  expect(interrupting.output).not.toContain('localhost');
  expect(interrupting.code).toBe(1);
  expect(account.calls).not.toContain('ExecuteChangeSet');
});

it('the domain of the hosted login is never replaced', async () => {
  account.addStack('tenfold');
  account.changes = [
    { ...changed('CustomUserPoolDomain', 'AWS::Cognito::UserPoolDomain'), Replacement: 'True' },
  ];
  const { code, output } = await deploy(['--yes', '--allow-replacement']);
  expect(output).toContain('CustomUserPoolDomain cannot be replaced: sign-in would stop.');
  expect(account.calls).not.toContain('ExecuteChangeSet');
  expect(code).toBe(1);
});

it('a failed creation is explained, and the next one deletes what it left', async () => {
  const table = { LogicalResourceId: 'MessagesTable', ResourceType: 'AWS::DynamoDB::Table' };
  const role = { LogicalResourceId: 'LogRole', ResourceType: 'AWS::IAM::Role' };
  const events = [
    {
      ...table,
      ResourceStatus: 'CREATE_FAILED',
      ResourceStatusReason: 'Not authorized: dynamodb:CreateTable',
    },
    { ...role, ResourceStatus: 'CREATE_FAILED', ResourceStatusReason: 'Resource creation cancelled' },
    {
      LogicalResourceId: 'UserPool',
      ResourceType: 'AWS::Cognito::UserPool',
      ResourceStatus: 'DELETE_SKIPPED',
    },
  ];
  account.outcome = { events, status: 'ROLLBACK_COMPLETE' };
  const failed = await deploy(['--yes']);
  expect(failed.output).toMatch(
    /\nMessagesTable \(AWS::DynamoDB::Table\) failed: Not authorized: dynamodb:CreateTable\nUserPool \(AWS::Cognito::UserPool\) was kept as tenfold-UserPool-1A2B\. .*\nThe stack is now in the state ROLLBACK_COMPLETE\. The site cannot use it\.\n$/,
  );
  expect(failed.code).toBe(1);
  account.outcome = null;
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain('It has to be deleted first.');
  expect(output).toContain('The stack "tenfold" is ready.');
  expect(code).toBe(0);
});

it('a check that fails before the changes is explained, and leaves no stack', async () => {
  account.failedChecks = [
    {
      LogicalResourceId: 'ApiLogGroup',
      ResourceType: 'AWS::Logs::LogGroup',
      ValidationStatusReason: 'It already exists.',
    },
  ];
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain('\nApiLogGroup (AWS::Logs::LogGroup): It already exists.\n');
  expect([...account.stacks]).toEqual([]);
  expect(code).toBe(1);
});

it('a stack that the command did not create is not touched', async () => {
  account.addStack('tenfold', { tags: [] });
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain('The stack "tenfold" was not created by npm run aws:deploy.');
  expect(account.calls).toEqual(['DescribeStacks']);
  expect(code).toBe(1);
});

it('a large template goes through a bucket of its own, or a given one', async () => {
  edit('infra/template.yaml', (text) => `${text}\nMetadata: { Padding: ${'x'.repeat(20_000)} }\n`);
  const { code, output } = await deploy(['--yes']);
  expect(output).toContain(`goes through a bucket: the limit is ${MAX_BODY_BYTES}.`);
  expect(output).toContain('Create the stack "tenfold-templates"');
  expect(output).toContain('+ create   Bucket (AWS::S3::Bucket)');
  expect(code).toBe(0);
  const [[key = '', template = ''] = []] = account.objects;
  expect(key).toMatch(/^tenfold-templates-bucket\/tenfold\/[0-9a-f]{64}\.yaml$/);
  expect(account.stacks.get('tenfold')?.template).toBe(template);
  account.changes = [pool];
  await deploy(['--yes', '--bucket', 'mine']);
  expect([...account.objects.keys()]).toEqual([key, key.replace('tenfold-templates-bucket', 'mine')]);
});

it('--plan checks the files without credentials', async () => {
  const plan = () => runCommand('deploy', ['--plan'], { folder });
  expect(await plan()).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^The template has \d+ bytes and is sent with the request[\s\S]*up to date\.\n$/,
    ),
  });
  edit('schema.graphql', (text) =>
    text.replace('type Mutation {', 'type Mutation {\n  hide(id: ID!): Message!\n'),
  );
  edit('infra/template.yaml', (text) =>
    text
      .replace(/^.*fields\/deleteMessage\n/m, '')
      .replace(/^(.*fields\/)createMessage\n/m, '$&$1removeMessage\n'),
  );
  writeFileSync(
    join(folder, 'infra/resolvers/Query.other.js'),
    "const operation = { operation: 'UpdateItem' };",
  );
  const { code, output } = await plan();
  expect(output.split('\n').slice(1, -1)).toEqual([
    'Mutation.hide has no resolver in infra/template.yaml.',
    'Members may not call Mutation.hide: MemberRole in infra/template.yaml lacks types/Mutation/fields/hide.',
    'Members may not call Mutation.deleteMessage: MemberRole in infra/template.yaml lacks types/Mutation/fields/deleteMessage.',
    'MemberRole allows Mutation.removeMessage, which schema.graphql allows for other groups only.',
    'The group admins may not call Mutation.hide: AdminRole in infra/template.yaml lacks types/Mutation/fields/hide.',
    'infra/resolvers/Query.other.js needs dynamodb:UpdateItem, which DataSourceRole in infra/template.yaml lacks.',
    'infra/resolvers/Query.other.js is not in infra/template.yaml.',
  ]);
  expect(code).toBe(1);
  edit('schema.graphql', (text) => text.replace('cognito_groups:', 'cognito_group:'));
  expect((await plan()).output.split('\n').slice(1, -1)).toEqual([
    expect.stringMatching(/^schema\.graphql:\d+:\d+: Unknown argument "cognito_group"/),
  ]);
});

it('a template or a resolver that AWS would not take is refused', async () => {
  const plan = () => runCommand('deploy', ['--plan'], { folder });
  edit('infra/resolvers/Query.listMessages.js', () => 'x'.repeat(32_769));
  expect((await plan()).output).toContain(
    'Query.listMessages.js has 32769 bytes, and AppSync takes at most 32768.',
  );
  edit('infra/resolvers/Query.listMessages.js', () => '');
  edit('infra/template.yaml', (text) => `${text}\nMetadata: { Padding: ${'x'.repeat(1_000_000)} }\n`);
  expect((await plan()).output).toMatch(/has \d+ bytes .* takes at most 1000000\./);
});

it.each<[string, string, string, RegExp]>([
  [
    'resolvers/Query.listMessages.js',
    'return {',
    'return {{',
    /^infra\/resolvers\/Query\.listMessages\.js:\d+:\d+: ERROR: Expected .*\n$/,
  ],
  [
    'resolvers/author.js',
    'return ',
    'return return ',
    /^infra\/resolvers\/author\.js:\d+:\d+: ERROR: Unexpected .*\n$/,
  ],
  [
    'template.yaml',
    '      UserPoolName:',
    '    UserPoolName:',
    /^infra\/template\.yaml:\d+:\d+: Nested mappings .*\. Check the indentation there and above\.\n$/,
  ],
  [
    'template.yaml',
    '\nResources:\n',
    '\nResources:\n  Empty:\n',
    /^infra\/template\.yaml:\d+: Empty has no Properties\. Check the indentation there\.\n$/,
  ],
  ['template.yaml', '!GetAtt', '!GetAt', /^infra\/template\.yaml:\d+:\d+: Unresolved tag: !GetAt\.\n$/],
  ['template.yaml', '\nOutputs:\n', '\nOutput:\n', /^infra\/template\.yaml has no Outputs\.\n$/],
])('--plan names the place of a mistake in %s: %j becomes %j', async (file, text, mistake, message) => {
  edit(`infra/${file}`, (source) => source.replace(text, mistake));
  const { code, output } = await runCommand('deploy', ['--plan'], { folder });
  expect(output).toMatch(message);
  expect(code).toBe(1);
});

it.each<[string[], Record<string, string | undefined>, RegExp]>([
  [['--no-such-option'], {}, /^Unknown option '--no-such-option'/],
  [['--yes'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, /AWS cannot be reached \(ECONNREFUSED\)/],
  [['--yes'], { AWS_REGION: undefined }, /There is no AWS region\. Add --region/],
  [['--yes'], { AWS_ACCESS_KEY_ID: undefined }, /There are no usable AWS credentials/],
  [['--yes', '--region', 'ap-east-2'], {}, /AWS reports InvalidClientTokenId: The security token/],
])('%j with %j fails with one sentence', async (args, environment, message) => {
  const { code, output } = await runCommand('deploy', args, { folder, account, environment });
  expect(output).toMatch(message);
  expect(output).not.toContain('    at ');
  expect(code).toBe(1);
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parameterOptions } from '../stack/template-parameters.ts';
import { evaluateOutputs, evaluateResources, evaluationOf } from './support/resource-values.ts';
import { rejectParameter } from './support/template-values.ts';
import { type Json, parseTemplate } from './support/template-yaml.ts';

const SUBJECT = 'repo:octocat@123456/site@456789:environment:production';
const ACCOUNT = 'arn:aws:iam::123456789012';
const template = parseTemplate(readFileSync('infra/github-deployment.yaml', 'utf8'));
const stack = parseTemplate(readFileSync('infra/template.yaml', 'utf8'));
const place = {
  region: 'eu-central-1',
  account: '123456789012',
  stackName: 'tenfold-github',
  stackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/tenfold-github/1a2b3c4d',
};

type Statement = {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: string | string[];
  Condition?: Json;
};
type Policy = { Statement: Statement[] };
type Role = {
  AssumeRolePolicyDocument: Json;
  Policies?: { PolicyDocument: Policy }[];
  PolicyDocument?: Policy;
};

const propertiesOf = (parameters: Record<string, string> = {}) => {
  const resources = evaluateResources(evaluationOf(template, { Subject: SUBJECT, ...parameters }, place));
  return (id: string) => resources.get(id)?.properties as unknown as Role | undefined;
};
const asList = (value: string | string[]) => [value].flat();
const matches = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

/** The statements of the role or policy that concern an action on a resource. */
function statementsFor(id: string, action: string, resource: string): Statement[] {
  const { Policies = [], PolicyDocument } = propertiesOf()(id) ?? { AssumeRolePolicyDocument: null };
  return [...Policies.map((policy) => policy.PolicyDocument), PolicyDocument ?? []]
    .flat()
    .flatMap(({ Statement }) => Statement)
    .filter(
      ({ Action, Resource }) =>
        asList(Action).some((pattern) => matches(pattern, action)) &&
        asList(Resource).some((pattern) => matches(pattern, resource)),
    );
}

function allows(id: string, action: string, resource: string): boolean {
  const effects = statementsFor(id, action, resource).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

describe('the roles for deployments from GitHub', () => {
  it.each([
    ['repo:octocat/site:environment:production', null],
    [SUBJECT, null],
    ['repo:octocat/site:environment:*', expect.any(String)],
    ['repo:octocat/site:ref:refs/heads/main', expect.any(String)],
    ['repo:octocat/*', expect.any(String)],
  ])('accept the subject %s only if it names one repository and one environment', (subject, problem) => {
    const { Subject } = template.Parameters;
    expect(Subject && rejectParameter('Subject', subject, Subject)).toEqual(problem);
  });

  it('trust tokens of GitHub for this subject and for AWS', () => {
    const Principal = { Federated: `${ACCOUNT}:oidc-provider/token.actions.githubusercontent.com` };
    const StringEquals = {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': SUBJECT,
    };
    expect(propertiesOf({ CreateProvider: 'false' })('DeployRole')?.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Principal, Action: 'sts:AssumeRoleWithWebIdentity', Condition: { StringEquals } }],
    });
  });

  it('create the identity provider, unless the account has one already', () => {
    expect(propertiesOf()('Provider')).toMatchObject({
      Url: 'https://token.actions.githubusercontent.com',
      ClientIdList: ['sts.amazonaws.com'],
    });
    expect(propertiesOf({ CreateProvider: 'false' })('Provider')).toBeUndefined();
  });

  it('let the workflow change its stack and no other one, and pass one role to CloudFormation', () => {
    const arn = (name: string) => `arn:aws:cloudformation:eu-central-1:123456789012:stack/${name}/1a2b`;
    expect(allows('DeployRole', 'cloudformation:CreateChangeSet', arn('tenfold'))).toBe(true);
    expect(allows('DeployRole', 'cloudformation:CreateChangeSet', arn('tenfold-staging'))).toBe(false);
    const service = `${ACCOUNT}:role/tenfold-github-ServiceRole-1A2B3C4D5E6F`;
    expect(statementsFor('DeployRole', 'iam:PassRole', service)).toMatchObject([
      { Condition: { StringEquals: { 'iam:PassedToService': 'cloudformation.amazonaws.com' } } },
    ]);
    expect(allows('DeployRole', 'iam:PassRole', `${ACCOUNT}:role/admin`)).toBe(false);
    expect(allows('DeployRole', 'cognito-idp:DescribeUserPoolClient', '*')).toBe(false);
  });

  it('create only roles of the stack, and only with the permissions boundary', () => {
    const boundary = { StringEquals: { 'iam:PermissionsBoundary': expect.stringMatching(/RoleBoundary/) } };
    const ids = Object.keys(stack.Resources).filter((id) => stack.Resources[id]?.Type === 'AWS::IAM::Role');
    expect(ids).toHaveLength(4);
    const bounded = ['CreateRole', 'PutRolePolicy', 'AttachRolePolicy', 'PutRolePermissionsBoundary'];
    for (const id of ids) {
      const role = `${ACCOUNT}:role/tenfold-${id}-1A2B3C4D5E6F`;
      for (const action of bounded) {
        expect(statementsFor('ServiceRole', `iam:${action}`, role), `${action} ${id}`).toMatchObject([
          { Condition: boundary },
        ]);
      }
      expect(allows('ServiceRole', 'iam:DeleteRolePermissionsBoundary', role)).toBe(false);
    }
    for (const other of ['admin', 'tenfold-github-DeployRole-1A2B', 'tenfold-github-ServiceRole-1A2B']) {
      expect(allows('ServiceRole', 'iam:UpdateAssumeRolePolicy', `${ACCOUNT}:role/${other}`)).toBe(false);
    }
  });

  it('permit no access to accounts and messages, and no deletion of the user pool or the table', () => {
    const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/tenfold-MessagesTable-1A2B';
    const pool = 'arn:aws:cognito-idp:eu-central-1:123456789012:userpool/eu-central-1_TenfoldP1';
    expect(allows('ServiceRole', 'dynamodb:UpdateTable', table)).toBe(true);
    expect(allows('ServiceRole', 'cognito-idp:UpdateUserPool', pool)).toBe(true);
    for (const action of ['Scan', 'GetItem', 'PartiQLSelect', 'DeleteTable']) {
      expect(allows('ServiceRole', `dynamodb:${action}`, table), action).toBe(false);
    }
    for (const action of ['AdminGetUser', 'ListUsers', 'DeleteUserPool']) {
      expect(allows('ServiceRole', `cognito-idp:${action}`, pool), action).toBe(false);
    }
  });

  it('have a permission for each kind of resource of the stack', () => {
    const services: Record<string, string> = { Logs: 'logs', Cognito: 'cognito-idp', WAFv2: 'wafv2' };
    const { Policies = [] } = propertiesOf()('ServiceRole') ?? { AssumeRolePolicyDocument: null };
    const allowed = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action }) => asList(Action).map((action) => action.split(':')[0]));
    for (const { Type } of Object.values(stack.Resources)) {
      const service = Type.split('::')[1] ?? '';
      expect(allowed, Type).toContain(services[service] ?? service.toLowerCase());
    }
  });

  it('have a boundary that permits what the roles of the stack permit', () => {
    const evaluation = evaluationOf(stack, {}, { ...place, stackName: 'tenfold' });
    const roles = [...evaluateResources(evaluation).values()].filter(({ type }) => type === 'AWS::IAM::Role');
    for (const { Policies = [] } of roles.map(({ properties }) => properties as unknown as Role)) {
      for (const { Action, Resource } of Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)) {
        for (const action of asList(Action)) {
          for (const resource of asList(Resource)) {
            expect(allows('RoleBoundary', action, resource), `${action} ${resource}`).toBe(true);
          }
        }
      }
    }
  });

  it('are the variables of the workflow', () => {
    const outputs = evaluateOutputs(evaluationOf(template, { Subject: SUBJECT }, place));
    expect(outputs.PermissionsBoundary).toMatch(/^tenfold-github-RoleBoundary/);
    const workflow = readFileSync('.github/workflows/deploy-aws.yml', 'utf8');
    for (const { Description } of Object.values(template.Outputs) as { Description?: string }[]) {
      expect(workflow).toContain(`vars.${Description} }}`);
    }
  });
});

describe('the workflow', () => {
  const workflow = parse(readFileSync('.github/workflows/deploy-aws.yml', 'utf8'));
  const steps: { uses?: string; run?: string; with?: object; env?: object }[] = workflow.jobs.deploy.steps;

  it('may read the code and get a token, and runs in the environment that the role trusts', () => {
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub
    expect(workflow.jobs.deploy.environment).toBe('${{ inputs.environment }}');
    expect(JSON.stringify(workflow)).not.toMatch(/secrets\.|access-key/);
  });

  it('calls the command with options that it has', () => {
    const command = steps.find(({ run }) => run?.includes('aws:deploy'))?.run ?? '';
    const known = ['stack-name', 'service-role', ...parameterOptions.map(({ option }) => option)];
    const options = [...command.matchAll(/--([a-z-]+)/g)].map(([, option]) => option);
    expect(options).toEqual(['stack-name', 'service-role', 'permissions-boundary']);
    expect(known).toEqual(expect.arrayContaining(options));
  });

  it('inserts no input into the text of a command', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});

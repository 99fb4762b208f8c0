/**
 * The operations that read the settings of an AWS account, over HTTP and in the formats of the services: Amazon Cognito
 * (AWS JSON 1.1), AWS AppSync (REST) and IAM (AWS Query). Tests change the settings.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';

type Settings = Record<string, unknown>;

export type AwsAccountSettings = {
  userPoolClient: Settings;
  domain: Settings;
  branding: Settings | null;
  identityPool: Settings;
  roles: Record<string, string>;
  api: Settings;
  /** The deployed schema (SDL). */
  schema: string;
  /** The fields that each role may call, such as `Query.listMessages`. */
  permissions: Record<string, readonly string[]>;
  /** Operations that the caller may not call. */
  denied: readonly string[];
};

export type AwsSettingsServer = {
  origin: string;
  /** The operations that were called. */
  calls: string[];
  close(): Promise<void>;
};

type Reply = { status: number; headers: Record<string, string>; body: string | Buffer };

/** Starts a server on a free port that answers for `account`. It accepts any signature. */
export async function startAwsAccountSettings(account: AwsAccountSettings): Promise<AwsSettingsServer> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = operationOf(request, body);
    calls.push(operation);
    const reply = account.denied.includes(operation) ? deny(operation) : answer(operation, account, body);
    send(response, reply);
  });
  return { origin: await listenOnLoopback(server), calls, close: () => closeServer(server) };
}

function operationOf({ headers, url = '' }: IncomingMessage, body: string): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').pop() ?? '';
  if (/^\/v1\/apis\/[^/]+\/schema\?/.test(url)) return 'GetIntrospectionSchema';
  if (url.startsWith('/v1/domainnames/')) return 'GetApiAssociation';
  if (url.startsWith('/v1/apis')) return 'ListGraphqlApis';
  return new URLSearchParams(body).get('Action') ?? '';
}

function answer(operation: string, account: AwsAccountSettings, body: string): Reply {
  switch (operation) {
    case 'DescribeUserPoolClient':
      return json(200, { UserPoolClient: account.userPoolClient });
    case 'DescribeUserPoolDomain':
      return json(200, { DomainDescription: account.domain });
    case 'DescribeManagedLoginBrandingByClient':
      return account.branding
        ? json(200, { ManagedLoginBranding: account.branding })
        : json(400, { __type: 'ResourceNotFoundException', message: 'ManagedLoginBranding not found.' });
    case 'DescribeIdentityPool':
      return json(200, account.identityPool);
    case 'GetIdentityPoolRoles':
      return json(200, { IdentityPoolId: account.identityPool.IdentityPoolId, Roles: account.roles });
    case 'GetApiAssociation':
      return json(404, { message: 'Association not found' }, { 'x-amzn-errortype': 'NotFoundException' });
    case 'ListGraphqlApis':
      return json(200, { graphqlApis: [account.api] });
    case 'GetIntrospectionSchema':
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: account.schema };
    case 'SimulatePrincipalPolicy':
      return simulate(new URLSearchParams(body), account);
    default:
      return json(400, { __type: 'UnknownOperationException' });
  }
}

function deny(operation: string): Reply {
  const message = `User is not authorized to perform: ${operation}`;
  if (operation !== 'SimulatePrincipalPolicy') return json(400, { __type: 'AccessDeniedException', message });
  const body = `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error><RequestId>4f2d5a1e</RequestId></ErrorResponse>`;
  return { status: 403, headers: { 'content-type': 'text/xml' }, body };
}

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
function simulate(form: URLSearchParams, { permissions }: AwsAccountSettings): Reply {
  const allowed = permissions[form.get('PolicySourceArn') ?? ''] ?? [];
  const resources = [...form].flatMap(([name, value]) =>
    name.startsWith('ResourceArns.member.') ? [value] : [],
  );
  const results = resources.map((arn) => {
    const [, type, field] = /\/types\/(\w+)\/fields\/(\w+)$/.exec(arn) ?? [];
    const decision = allowed.includes(`${type}.${field}`) ? 'allowed' : 'implicitDeny';
    return `<member><EvalActionName>appsync:GraphQL</EvalActionName><EvalResourceName>${arn}</EvalResourceName><EvalDecision>${decision}</EvalDecision></member>`;
  });
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<SimulatePrincipalPolicyResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><SimulatePrincipalPolicyResult><IsTruncated>false</IsTruncated><EvaluationResults>${results.join('')}</EvaluationResults></SimulatePrincipalPolicyResult><ResponseMetadata><RequestId>4f2d5a1e</RequestId></ResponseMetadata></SimulatePrincipalPolicyResponse>`,
  };
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1', ...headers }, body };
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers).end(body);
}

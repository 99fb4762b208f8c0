/**
 * The operations that read the settings of an AWS account, over HTTP and in the formats of the services: Amazon Cognito
 * (AWS JSON 1.1), AWS AppSync (REST) and IAM (AWS Query). Tests change the settings.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';

type Settings = Record<string, unknown>;

export type AwsAccountSettings = {
  /** Null if the user pool belongs to another account. */
  userPool: Settings | null;
  userPoolClient: Settings;
  domain: Settings;
  branding: Settings | null;
  identityPool: Settings;
  roles: Record<string, string>;
  hasRoleMappings: boolean;
  api: Settings;
  /** The deployed schema (SDL). */
  schema: string;
  /** The fields that have a resolver, such as `Query.listMessages`. */
  resolvers: readonly string[];
  dataSource: Settings;
  /** The table and its recovery; null if it does not exist. */
  table: { description: Settings; recovery: 'ENABLED' | 'DISABLED' } | null;
  /** What SES says about the account and the identity. */
  email: { account: Settings; identity: Settings };
  /** The resource policies of functions by their ARN. */
  functionPolicies: Record<string, string>;
  /** The trust policies of the roles by name. */
  trust: Record<string, unknown>;
  /** The fields that each role may call, such as `Query.listMessages`, and its actions in DynamoDB. */
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

type Reply = { status: number; headers: Record<string, string>; body: string };

/** Starts a server on a free port that answers for `account`. It accepts any signature. */
export async function startAwsAccountSettings(account: AwsAccountSettings): Promise<AwsSettingsServer> {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = operationOf(request, body);
    calls.push(operation);
    const reply = account.denied.includes(operation)
      ? deny(operation)
      : answer(operation, account, body, request.url ?? '');
    send(response, reply);
  });
  return { origin: await listenOnLoopback(server), calls, close: () => closeServer(server) };
}

function operationOf({ headers, url = '' }: IncomingMessage, body: string): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').pop() ?? '';
  if (/^\/v1\/apis\/[^/]+\/schema\?/.test(url)) return 'GetIntrospectionSchema';
  if (url.startsWith('/v2/email/'))
    return url.startsWith('/v2/email/account') ? 'GetAccount' : 'GetEmailIdentity';
  if (/^\/2015-03-31\/functions\/[^/]+\/policy$/.test(url)) return 'GetPolicy';
  if (/^\/v1\/apis\/[^/]+\/types\/[^/]+\/resolvers/.test(url)) return 'ListResolvers';
  if (/^\/v1\/apis\/[^/]+\/datasources/.test(url)) return 'ListDataSources';
  if (url.startsWith('/v1/domainnames/')) return 'GetApiAssociation';
  if (url.startsWith('/v1/apis')) return 'ListGraphqlApis';
  return new URLSearchParams(body).get('Action') ?? '';
}

function answer(operation: string, account: AwsAccountSettings, body: string, url: string): Reply {
  switch (operation) {
    case 'DescribeUserPool':
      return account.userPool ? json(200, { UserPool: account.userPool }) : notFound();
    case 'GetAccount':
      return json(200, account.email.account);
    case 'GetEmailIdentity':
      return json(200, account.email.identity);
    case 'GetPolicy': {
      const arn = decodeURIComponent(url.split('/')[3] ?? '');
      const Policy = account.functionPolicies[arn];
      return Policy === undefined ? notFound() : json(200, { Policy });
    }
    case 'ListResolvers': {
      const [, typeName = ''] = /\/types\/([^/]+)\//.exec(url) ?? [];
      const ofType = account.resolvers.filter((name) => name.startsWith(`${typeName}.`));
      return json(200, { resolvers: ofType.map((name) => ({ typeName, fieldName: name.split('.')[1] })) });
    }
    case 'ListDataSources':
      return json(200, { dataSources: [account.dataSource] });
    case 'DescribeTable':
      return account.table ? json(200, { Table: account.table.description }) : notFound();
    case 'DescribeContinuousBackups':
      return json(200, {
        ContinuousBackupsDescription: {
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: account.table?.recovery },
        },
      });
    case 'GetRole':
      return getRole(new URLSearchParams(body).get('RoleName') ?? '', account);
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
      return json(200, {
        IdentityPoolId: account.identityPool.IdentityPoolId,
        Roles: account.roles,
        ...(account.hasRoleMappings ? { RoleMappings: { provider: { Type: 'Token' } } } : {}),
      });
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

function notFound(): Reply {
  return json(400, { __type: 'ResourceNotFoundException', message: 'It does not exist.' });
}

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRole.html */
function getRole(name: string, { trust }: AwsAccountSettings): Reply {
  const policy = trust[name];
  if (policy === undefined)
    return iamError(404, 'NoSuchEntity', `The role with name ${name} cannot be found.`);
  const document = encodeURIComponent(JSON.stringify(policy));
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<GetRoleResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><GetRoleResult><Role><RoleName>${name}</RoleName><AssumeRolePolicyDocument>${document}</AssumeRolePolicyDocument></Role></GetRoleResult></GetRoleResponse>`,
  };
}

function iamError(status: number, code: string, message: string): Reply {
  const body = `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>4f2d5a1e</RequestId></ErrorResponse>`;
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

function deny(operation: string): Reply {
  const message = `User is not authorized to perform: ${operation}`;
  return operation === 'SimulatePrincipalPolicy' || operation === 'GetRole'
    ? iamError(403, 'AccessDenied', message)
    : json(400, { __type: 'AccessDeniedException', message });
}

/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
function simulate(form: URLSearchParams, { permissions }: AwsAccountSettings): Reply {
  const allowed = permissions[form.get('PolicySourceArn') ?? ''] ?? [];
  const resources = [...form].flatMap(([name, value]) =>
    name.startsWith('ResourceArns.member.') ? [value] : [],
  );
  const actions = [...form].flatMap(([name, value]) =>
    name.startsWith('ActionNames.member.') ? [value] : [],
  );
  const results = resources.flatMap((arn) =>
    actions.map((action) => {
      const [, type, field] = /\/types\/(\w+)\/fields\/(\w+)$/.exec(arn) ?? [];
      const wanted = type ? `${type}.${field}` : `${action}${arn.includes('/index/') ? ' on indexes' : ''}`;
      const decision = allowed.includes(wanted) ? 'allowed' : 'implicitDeny';
      return `<member><EvalActionName>${action}</EvalActionName><EvalResourceName>${arn}</EvalResourceName><EvalDecision>${decision}</EvalDecision></member>`;
    }),
  );
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

/** An AWS account over HTTP: CloudFormation and Cognito as far as the commands use them. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';
import { registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { prepareTemplate } from '../../stack/template.ts';
import { AwsError, formatError, formatResponse } from './query-protocol.ts';
import { SimulatedCloudFormation } from './simulated-cloudformation.ts';
import type { SimulatedStack } from './simulated-stack.ts';
import { parseTemplate, type Template } from './template-yaml.ts';

export const REGION = 'eu-central-1';
const ACCOUNT = '123456789012';
export const CLIENT_SECRET = '1c2l3i4e5n6t7s8e9c0r1e2t3v4a5l6u7e8k9m0q1w2z3x4y5';

/** The tags of a stack that `npm run aws:deploy` created. */
export const OWN_TAGS = [{ Key: 'tenfold:created-by', Value: 'aws:deploy' }];

export type AwsAccount = {
  origin: string;
  cloudFormation: SimulatedCloudFormation;
  /** Names of the operations that were called. */
  calls: string[];
  /** Operations that the credentials may not call, such as `cloudformation:CreateChangeSet`. */
  denied: Set<string>;
  /** Called before each operation, which waits for the result. */
  beforeCall: (action: string) => void | Promise<void>;
  close(): Promise<void>;
};

/** Starts an empty account on a free port. */
export async function startAwsAccount(): Promise<AwsAccount> {
  registerSecret('client secret', CLIENT_SECRET);
  const account = {
    cloudFormation: new SimulatedCloudFormation(REGION, ACCOUNT),
    calls: [] as string[],
    denied: new Set<string>(),
    beforeCall: (_action: string): void | Promise<void> => {},
  };
  const server = createServer(async (request, response) => {
    const isJson = request.headers['x-amz-target'] !== undefined;
    const body = await text(request);
    try {
      const result = await (isJson ? callCognito : callCloudFormation)(account, request, body);
      response
        .writeHead(200, { 'content-type': isJson ? 'application/x-amz-json-1.1' : 'text/xml' })
        .end(result);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const message = isJson
        ? JSON.stringify({ __type: error.code, message: error.message })
        : formatError(error);
      response.writeHead(error.status).end(message);
    }
  });
  const origin = await listenOnLoopback(server);
  return Object.assign(account, { origin, close: () => closeServer(server) });
}

type DeployedStack = {
  name?: string;
  status?: string;
  parameters?: Record<string, string> | undefined;
  tags?: typeof OWN_TAGS;
  /** Edits the template that the stack was deployed from. */
  change?: (template: Template) => void;
};

/** Adds the stack of an earlier deployment. */
export function addDeployedStack(
  { cloudFormation }: AwsAccount,
  {
    name = 'tenfold',
    status = 'UPDATE_COMPLETE',
    parameters = {},
    tags = OWN_TAGS,
    change,
  }: DeployedStack = {},
): SimulatedStack {
  const template = parseTemplate(prepareTemplate());
  change?.(template);
  return cloudFormation.addStack(name, status, { template, parameters, tags });
}

type Account = Pick<AwsAccount, 'cloudFormation' | 'calls' | 'denied' | 'beforeCall'>;

async function callCloudFormation(account: Account, request: IncomingMessage, body: string): Promise<string> {
  const form = new URLSearchParams(body);
  const action = form.get('Action') ?? '';
  await authorize(account, request, 'cloudformation', action);
  return formatResponse(action, account.cloudFormation.call(action, form));
}

async function callCognito(account: Account, request: IncomingMessage, body: string): Promise<string> {
  const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  await authorize(account, request, 'cognito-idp', action);
  const { UserPoolId, ClientId } = JSON.parse(body) as Record<string, string>;
  if (action !== 'DescribeUserPoolClient' || ClientId === undefined) {
    throw new AwsError('InvalidParameterException', `${action} is not simulated`);
  }
  return JSON.stringify({ UserPoolClient: { UserPoolId, ClientId, ClientSecret: CLIENT_SECRET } });
}

/** Checks the scope of the credentials and the permission as AWS does, without the signature itself. */
async function authorize(
  account: Account,
  request: IncomingMessage,
  service: string,
  action: string,
): Promise<void> {
  account.calls.push(action);
  await account.beforeCall(action);
  if (!request.headers.authorization?.includes(`/${REGION}/${service}/aws4_request`)) {
    throw new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid.', 403);
  }
  if (account.denied.has(`${service}:${action}`)) {
    const user = `arn:aws:iam::${ACCOUNT}:user/deployer`;
    const message = `User: ${user} is not authorized to perform: ${service}:${action} because no identity-based policy allows the action`;
    throw new AwsError(service === 'cloudformation' ? 'AccessDenied' : 'AccessDeniedException', message, 403);
  }
}

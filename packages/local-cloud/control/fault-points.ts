import { awsErrorResponse, operationName } from '../http/aws-json.ts';
import { type CloudRequest, type CloudResponse, json, parseForm } from '../http/exchange.ts';
import { IDENTITY_POOL_SERVICE } from '../identity-pool/identity-pool.ts';
import { authorizeErrorResponse } from '../oauth/authorize-endpoint.ts';
import { oauthErrorResponse } from '../oauth/client-authentication.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { USER_POOL_SERVICE } from '../user-pool/user-pool-api.ts';
import type { FaultyService } from './fault-settings.ts';
import type { FaultPoint, InjectedError } from './faults.ts';

/** Returns the fault point of every service. Each one formats injected errors as the service formats its own. */
export function createFaultPoints(userPool: UserPool): { [Service in FaultyService]: FaultPoint } {
  const oauth = (_request: CloudRequest, { type, status = 400 }: InjectedError) =>
    oauthErrorResponse(type, status);
  const aws = (_request: CloudRequest, { type, message, status = 400 }: InjectedError) =>
    awsErrorResponse(type, message, status);
  const single = () => null;
  return {
    authorize: {
      service: 'authorize',
      operationOf: single,
      errorResponse: (request, { type }) => authorizeErrorResponse(request, type, userPool),
    },
    token: {
      service: 'token',
      operationOf: (request) => parseForm(request).get('grant_type'),
      errorResponse: oauth,
    },
    revoke: { service: 'revoke', operationOf: single, errorResponse: oauth },
    jwks: { service: 'jwks', operationOf: single, errorResponse: oauth },
    'cognito-idp': {
      service: 'cognito-idp',
      operationOf: (request) => operationName(request, USER_POOL_SERVICE),
      errorResponse: aws,
    },
    'cognito-identity': {
      service: 'cognito-identity',
      operationOf: (request) => operationName(request, IDENTITY_POOL_SERVICE),
      errorResponse: aws,
    },
    graphql: { service: 'graphql', operationOf: graphqlOperation, errorResponse: appSyncErrorResponse },
  };
}

/** Returns the operation name in the JSON body or the query, or else the first name in the GraphQL document. */
function graphqlOperation({ method, body, url: { searchParams } }: CloudRequest): string | null {
  if (method === 'GET' && searchParams.has('operationName')) return searchParams.get('operationName');
  const text = method === 'GET' ? (searchParams.get('query') ?? '') : body.toString('utf8');
  const named = /"operationName"\s*:\s*"(\w+)"/.exec(text) ?? /\b(?:query|mutation)\s+(\w+)/.exec(text);
  return named?.[1] ?? null;
}

function appSyncErrorResponse(
  _request: CloudRequest,
  { type: errorType, message, status = 200 }: InjectedError,
): CloudResponse {
  const error = { errorType, message };
  return json(status, status === 200 ? { data: null, errors: [error] } : { errors: [error] }, {
    'x-amzn-errortype': errorType,
  });
}

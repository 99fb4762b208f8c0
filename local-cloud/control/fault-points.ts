import { awsErrorResponse, operationName } from '../http/aws-json.ts';
import { type CloudRequest, type CloudResponse, json, parseForm } from '../http/exchange.ts';
import { IDENTITY_POOL_SERVICE } from '../identity-pool/identity-pool.ts';
import { authorizeErrorResponse } from '../oauth/authorize-endpoint.ts';
import { oauthErrorResponse } from '../oauth/client-authentication.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { USER_POOL_SERVICE } from '../user-pool/user-pool-api.ts';
import type { FaultyService } from './fault-settings.ts';
import type { FaultPoint } from './faults.ts';

const ERROR_MESSAGE = 'The local cloud was told to fail.';

/** Returns the fault point of every service. Each one formats injected errors as the service formats its own. */
export function createFaultPoints(userPool: UserPool): { [Service in FaultyService]: FaultPoint } {
  const oauth = (_request: CloudRequest, error: string, status = 400) => oauthErrorResponse(error, status);
  const aws = (_request: CloudRequest, error: string, status = 400) =>
    awsErrorResponse(error, ERROR_MESSAGE, status);
  const single = () => null;
  return {
    authorize: {
      service: 'authorize',
      operationOf: single,
      errorResponse: (request, error) => authorizeErrorResponse(request, error, userPool),
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

/** Returns the operation name in the JSON body, or else the first name in the GraphQL document. */
function graphqlOperation({ body }: CloudRequest): string | null {
  const text = body.toString('utf8');
  const named = /"operationName"\s*:\s*"(\w+)"/.exec(text) ?? /\b(?:query|mutation)\s+(\w+)/.exec(text);
  return named?.[1] ?? null;
}

function appSyncErrorResponse(_request: CloudRequest, errorType: string, status = 200): CloudResponse {
  const error = { errorType, message: ERROR_MESSAGE };
  return json(status, status === 200 ? { data: null, errors: [error] } : { errors: [error] }, {
    'x-amzn-errortype': errorType,
  });
}

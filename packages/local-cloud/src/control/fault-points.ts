import { realTimeFaults } from '../appsync/real-time.ts';
import { awsErrorResponse, operationName } from '../http/aws-json.ts';
import { type CloudRequest, json, parseForm } from '../http/exchange.ts';
import { IDENTITY_POOL_SERVICE } from '../identity-pool/identity-pool.ts';
import { authorizeErrorResponse } from '../oauth/authorize-endpoint.ts';
import { oauthErrorResponse } from '../oauth/token-endpoint.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { USER_POOL_SERVICE } from '../user-pool/user-pool-api.ts';
import type { FaultPoint, FaultyService } from './faults.ts';

/** Returns the fault point of every service. Each one formats injected errors as the service formats its own. */
export function createFaultPoints(userPool: UserPool): { [Service in FaultyService]: FaultPoint } {
  const oauth: FaultPoint = {
    errorResponse: (_request, { type, status }) => oauthErrorResponse(type, status),
  };
  const aws = (service: string): FaultPoint => ({
    operationOf: (request) => operationName(request, service),
    errorResponse: (_request, { type, message, status }) => awsErrorResponse(type, message, status),
  });
  return {
    authorize: { errorResponse: (request, { type }) => authorizeErrorResponse(request, type, userPool) },
    token: { ...oauth, operationOf: (request) => parseForm(request).get('grant_type') },
    revoke: oauth,
    jwks: oauth,
    'cognito-idp': aws(USER_POOL_SERVICE),
    'cognito-identity': aws(IDENTITY_POOL_SERVICE),
    'real-time': realTimeFaults,
    graphql: {
      operationOf: graphqlOperation,
      errorResponse(_request, { type: errorType, message, status = 200 }) {
        const errors = [{ errorType, message }];
        return json(status, status === 200 ? { data: null, errors } : { errors }, {
          'x-amzn-errortype': errorType,
        });
      },
    },
  };
}

/** Returns the operation name in the JSON body, or else the first name in the GraphQL document. */
function graphqlOperation({ body }: CloudRequest): string | null {
  const text = body.toString('utf8');
  const named = /"operationName"\s*:\s*"(\w+)"/.exec(text) ?? /\b(?:query|mutation)\s+(\w+)/.exec(text);
  return named?.[1] ?? null;
}

import { awsErrorReply, operationName } from '../http/aws-json.ts';
import { type CloudRequest, formOf, json } from '../http/exchange.ts';
import { IDENTITY_SERVICE } from '../identity-pool/identity-pool.ts';
import { authorizeErrorReply } from '../oauth/authorize.ts';
import { oauthErrorReply } from '../oauth/client-authentication.ts';
import { USER_POOL_SERVICE } from '../user-pool/cognito-idp.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { FaultPoint, FaultyService } from './faults.ts';

/** Where the local cloud can be told to fail, and how each service says so. */
export function faultPoints(userPool: UserPool): { [Service in FaultyService]: FaultPoint } {
  const oauth = (_request: CloudRequest, error: string, status = 400) => oauthErrorReply(error, status);
  const aws = (_request: CloudRequest, error: string, status = 400) =>
    awsErrorReply(error, 'The local cloud was told to fail.', status);
  const whole = () => null;
  return {
    authorize: { service: 'authorize', operationOf: whole, errorReply: authorizeErrorReply(userPool) },
    token: {
      service: 'token',
      operationOf: (request) => formOf(request).get('grant_type'),
      errorReply: oauth,
    },
    revoke: { service: 'revoke', operationOf: whole, errorReply: oauth },
    jwks: { service: 'jwks', operationOf: whole, errorReply: oauth },
    'cognito-idp': {
      service: 'cognito-idp',
      operationOf: (request) => operationName(request, USER_POOL_SERVICE),
      errorReply: aws,
    },
    'cognito-identity': {
      service: 'cognito-identity',
      operationOf: (request) => operationName(request, IDENTITY_SERVICE),
      errorReply: aws,
    },
    graphql: { service: 'graphql', operationOf: graphqlOperation, errorReply: appSyncErrorReply },
  };
}

/** The operation's name, as the request or else the document has it. */
function graphqlOperation({ body }: CloudRequest): string | null {
  const text = body.toString('utf8');
  const named = /"operationName"\s*:\s*"(\w+)"/.exec(text) ?? /\b(?:query|mutation)\s+(\w+)/.exec(text);
  return named?.[1] ?? null;
}

function appSyncErrorReply(_request: CloudRequest, errorType: string, status = 200) {
  const error = { errorType, message: 'The local cloud was told to fail.' };
  return json(status, status === 200 ? { data: null, errors: [error] } : { errors: [error] }, {
    'x-amzn-errortype': errorType,
  });
}

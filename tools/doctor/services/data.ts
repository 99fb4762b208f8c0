/** The identity pool and the data API. Nothing is read, and nothing changed but one guest identity. */

import {
  createIdentityPoolClient,
  GUESTS_NOT_ALLOWED,
  type IdentityPoolClient,
  type IssuedCredentials,
  providerNameOf,
  signRequest,
} from '@tenfold/appsync-proxy';
import { createLog } from '@tenfold/site-server';
import { ConfigurationError, UpstreamError } from '@tenfold/upstream';
import { z } from 'zod';
import type { Env } from '../../../app/server/config/env.ts';
import { type Finding, FindingError, failure, notChecked, ok } from '../finding.ts';
import { createServiceSend, type Send } from './http.ts';

type DataOptions = {
  timeoutMs: number /** Called with each secret that a service issues. */;
  onSecret: (value: string) => void;
};

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
const OPERATION = JSON.stringify({ query: '{ __typename }' });

const errorBody = z.object({
  errors: z.array(z.object({ errorType: z.string().nullish(), message: z.string().nullish() })).nullish(),
});

export async function* checkData(
  env: Env,
  send: Send,
  { timeoutMs, onSecret }: DataOptions,
): AsyncGenerator<Finding, void> {
  const pool = createIdentityPoolClient({ ...env.identityPool, log: createLog('silent') });
  let guest: IssuedCredentials | null = null;
  try {
    yield await checkProvider(env, pool, AbortSignal.timeout(timeoutMs));
    if (env.identityPool.allowGuests) {
      const signal = AbortSignal.timeout(timeoutMs);
      guest = await pool.getCredentials(await pool.getId(null, signal), null, signal);
      for (const value of Object.values(guest.credentials)) onSecret(value);
      yield ok('The identity pool gives credentials to guests.');
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    yield explainPoolError(error, env);
  }
  const sendToApi = createServiceSend(send, 'The data API', 'GRAPHQL_ENDPOINT');
  const clockOffset = yield* checkInvalidToken(env, sendToApi);
  yield await checkSignature(env, guest, sendToApi, clockOffset);
}

/** Sends a value that is no token. The identity pool first checks whether it accepts the provider. */
async function checkProvider(env: Env, pool: IdentityPoolClient, signal: AbortSignal): Promise<Finding> {
  const provider = providerNameOf(env.userPool.issuer);
  try {
    await pool.getId({ [provider]: 'not-a-token' }, signal);
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.code !== 'NotAuthorizedException') throw error;
    if (error instanceof ConfigurationError) {
      return failure(
        `The identity pool does not accept tokens of ${provider}. Signed-in visitors get no AWS credentials.`,
        `Add the user pool with the app client ${env.userPool.clientId} to the identity providers of the identity pool.`,
      );
    }
  }
  return ok(`The identity pool accepts tokens of ${provider}.`);
}

function explainPoolError({ code }: UpstreamError, { identityPool }: Env): Finding {
  if (code === 'ResourceNotFoundException') {
    const fix = 'Set COGNITO_IDENTITY_POOL_ID to the id of the identity pool, which starts with its region.';
    return failure(`The identity pool ${identityPool.id} does not exist.`, fix);
  }
  if (code === GUESTS_NOT_ALLOWED) {
    return failure(
      'COGNITO_ALLOW_GUESTS is true, but the identity pool gives guests no access.',
      'Set COGNITO_ALLOW_GUESTS=false, or activate guest access in the identity pool.',
    );
  }
  return failure(
    `The identity pool responds with ${code}.`,
    'Check the region at the start of COGNITO_IDENTITY_POOL_ID, and the role for guests in the identity pool.',
  );
}

/** AppSync responds with 401 to a token that it cannot verify, in every authorization mode. */
async function* checkInvalidToken(
  { dataApi: { endpoint } }: Env,
  send: Send,
): AsyncGenerator<Finding, number> {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const authorization = `${part({ alg: 'RS256', kid: 'none' })}.${part({ token_use: 'access' })}.${part('none')}`;
  const reply = await send(endpoint, {
    method: 'POST',
    headers: { ...HEADERS, authorization },
    body: OPERATION,
  });
  const isGraphql = errorBody.safeParse(reply.json).success;
  if (reply.status === 200 && isGraphql) {
    const fix = 'Remove the authorization modes of the API that accept any caller.';
    yield failure('The data API executes an operation with an invalid token.', fix);
  } else if (reply.status === 401) {
    yield ok(`${endpoint} rejects an invalid token.`);
  } else {
    const text = `${endpoint} is not the GraphQL endpoint of an AppSync API: it responds with status ${reply.status}.`;
    const fix = 'Set GRAPHQL_ENDPOINT to the GraphQL endpoint of the API, which ends with /graphql.';
    throw new FindingError(failure(text, fix));
  }
  return reply.clockOffset ?? 0;
}

/** A guest has no permission in the API, but the service verifies the signature first. */
async function checkSignature(
  { dataApi: { endpoint, region, authMode } }: Env,
  guest: IssuedCredentials | null,
  send: Send,
  clockOffset: number,
): Promise<Finding> {
  if (authMode === 'userPool') return ok('GRAPHQL_AUTH_MODE is userPool: the site signs no requests.');
  if (guest === null)
    return notChecked('A signed request needs the credentials of a guest, and there are none.');
  const headers = await signRequest({
    method: 'POST',
    url: new URL(endpoint),
    headers: HEADERS,
    body: OPERATION,
    region,
    service: 'appsync',
    credentials: guest.credentials,
    signingDate: new Date(Date.now() + clockOffset),
  });
  const { status, json } = await send(endpoint, { method: 'POST', headers, body: OPERATION });
  const [error] = errorBody.safeParse(json).data?.errors ?? [];
  const text = error?.message ?? '';
  if (status === 401 && /jwt|token|authorization header/i.test(text)) {
    return failure(
      'The data API does not accept signed requests, but GRAPHQL_AUTH_MODE is iam.',
      'Add the authorization mode AWS_IAM to the AppSync API, or set GRAPHQL_AUTH_MODE=userPool.',
    );
  }
  if (status === 200 || status === 401) return ok('The data API accepts the signature.');
  return /region/i.test(text)
    ? failure(
        `The data API rejects requests that are signed for the region ${region}.`,
        'Set GRAPHQL_REGION to the region of the AppSync API.',
      )
    : failure(
        `The data API rejects a request that is signed with credentials of the identity pool (${error?.errorType ?? `status ${status}`}).`,
        'Check that the identity pool and the AppSync API are in the same AWS partition, and that no proxy changes requests.',
      );
}

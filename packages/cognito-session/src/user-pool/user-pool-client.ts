/** The client of the user pool: refreshes and revokes tokens. */
import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import {
  type Clock,
  createUpstream,
  type Log,
  parseAwsError,
  parseJson,
  UpstreamError,
  type UpstreamMetrics,
} from '#upstream';
import type { Settings } from '../settings.ts';
import { ClientCheck } from './client-check.ts';
import { explainRefreshFailure } from './refresh-rejection.ts';
import type { Tokens } from './tokens.ts';
import { clientFormHeaders, post, type UserPoolResponse } from './user-pool-request.ts';

/** The result of a refresh. `refreshToken` is null unless the app client rotates refresh tokens. */
export type RefreshedTokens = Pick<Tokens, 'accessToken' | 'idToken' | 'refreshToken'>;

type RefreshableTokens = Tokens & { refreshToken: string };

export type UserPoolClient = {
  /**
   * Requests new tokens, in at most three attempts until `signal` is aborted. Rejects with an `UpstreamError`, for
   * which `isRefreshTokenRejected` returns whether the session has ended. It is a `ConfigurationError` if the user pool
   * rejected the app client.
   */
  refresh(tokens: RefreshableTokens, signal: AbortSignal): Promise<RefreshedTokens>;
  /** Revokes a refresh token and the tokens issued with it (RFC 7009). Rejects with an `UpstreamError`. */
  revoke(refreshToken: string, signal: AbortSignal): Promise<void>;
};

/** A user pool accepts 120 refreshes per second by default (AWS, "Quotas in Amazon Cognito"). */
const MAX_CONCURRENT_REFRESHES = 50;
const MAX_QUEUED_REFRESHES = 5000;
const MAX_ERROR_DETAIL = 200;

const refreshResponse = z.object({
  AuthenticationResult: z.object({
    AccessToken: z.string(),
    IdToken: z.string().optional(),
    RefreshToken: z.string().optional(),
  }),
});

type UserPoolClientDeps = {
  env: Pick<Settings, 'userPool'>;
  clock: Clock;
  log: Log;
  metrics?: UpstreamMetrics;
};

/** Creates a client of the user pool that `env` names. */
export function createUserPoolClient({ env, clock, log, metrics }: UserPoolClientDeps): UserPoolClient {
  const upstream = createUpstream({
    service: 'user-pool',
    maxConcurrent: MAX_CONCURRENT_REFRESHES,
    maxQueued: MAX_QUEUED_REFRESHES,
    clock,
    log,
    metrics,
  });
  const clientCheck = new ClientCheck({ env, clock });
  const { endpoint, clientId, clientSecret, refreshOperation } = env.userPool;

  return {
    async refresh(tokens, signal) {
      const input =
        refreshOperation === 'InitiateAuth'
          ? initiateAuthInput(tokens, clientId, clientSecret)
          : refreshTokenInput(tokens, clientId, clientSecret);
      const attempt = async () =>
        parseRefreshResponse(await callUserPool(endpoint, refreshOperation, input, signal));
      try {
        return await upstream.call(attempt, { signal, logFields: { operation: refreshOperation } });
      } catch (error) {
        throw await explainRefreshFailure(error, () => clientCheck.isAccepted(signal));
      }
    },
    revoke: (refreshToken, signal) => revoke(refreshToken, env.userPool, signal),
  };
}

/** Calls an operation of the user pools API. Rejects with an `UpstreamError`. */
export async function callUserPool(
  endpoint: string,
  operation: string,
  input: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await post('user-pool', `${endpoint}/`, JSON.stringify(input), signal, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
  });
  return readJson(response);
}

async function revoke(
  refreshToken: string,
  { domain, clientId, clientSecret }: Settings['userPool'],
  signal: AbortSignal,
): Promise<void> {
  const form = new URLSearchParams({ token: refreshToken, client_id: clientId });
  const headers = clientFormHeaders(clientId, clientSecret);
  const response = await post('hosted-login', `${domain}/oauth2/revoke`, form.toString(), signal, headers);
  if (response.ok) return;
  throw new UpstreamError('hosted-login', 'RevocationFailed', 'The refresh token was not revoked.', {
    status: response.status,
  });
}

/** The input of `GetTokensFromRefreshToken` (Amazon Cognito user pools API reference). */
function refreshTokenInput(tokens: RefreshableTokens, clientId: string, clientSecret: string | null) {
  return {
    ClientId: clientId,
    RefreshToken: tokens.refreshToken,
    ...(clientSecret ? { ClientSecret: clientSecret } : {}),
    ...(tokens.deviceKey ? { DeviceKey: tokens.deviceKey } : {}),
  };
}

/** The input of `InitiateAuth` with the flow `REFRESH_TOKEN_AUTH` (Amazon Cognito user pools API reference). */
function initiateAuthInput(tokens: RefreshableTokens, clientId: string, clientSecret: string | null) {
  return {
    ClientId: clientId,
    AuthFlow: 'REFRESH_TOKEN_AUTH',
    AuthParameters: {
      REFRESH_TOKEN: tokens.refreshToken,
      ...(clientSecret ? { SECRET_HASH: secretHash(tokens.accessToken, clientId, clientSecret) } : {}),
      ...(tokens.deviceKey ? { DEVICE_KEY: tokens.deviceKey } : {}),
    },
  };
}

/** AWS, "Computing secret hash values". The username is the user pool's own, not the email address of the sign-in. */
function secretHash(accessToken: string, clientId: string, clientSecret: string): string {
  const { username } = decodeJwt(accessToken);
  return createHmac('sha256', clientSecret).update(`${username}${clientId}`).digest('base64');
}

function readJson({ status, ok, headers, text }: UserPoolResponse): unknown {
  const json = parseJson(text);
  if (!ok) {
    const { code, message } = parseAwsError({ status, headers }, json);
    throw new UpstreamError('user-pool', code, message.slice(0, MAX_ERROR_DETAIL), { status });
  }
  return json;
}

function parseRefreshResponse(response: unknown): RefreshedTokens {
  const result = refreshResponse.safeParse(response);
  if (!result.success) {
    throw new UpstreamError('user-pool', 'InvalidResponse', 'The response to a refresh contains no tokens.', {
      cause: result.error,
    });
  }
  const { AccessToken, IdToken, RefreshToken } = result.data.AuthenticationResult;
  return { accessToken: AccessToken, idToken: IdToken ?? null, refreshToken: RefreshToken ?? null };
}

import { z } from 'zod';
import { AwsError, createAwsJsonService } from '../http/aws-json.ts';
import type { Handler } from '../http/exchange.ts';
import { type Grants, RefreshTokenError } from './grants.ts';
import type { Grant } from './token-claims.ts';
import { mintTokens, type Tokens } from './tokens.ts';
import { createUserOperations, type UserOperationsDeps } from './user-operations.ts';
import { type AppClient, findClient, isClientSecretValid, isSecretHashValid } from './user-pool.ts';

/** The service name in `X-Amz-Target`. */
export const USER_POOL_SERVICE = 'AWSCognitoIdentityProviderService';

const initiateAuth = z.object({
  AuthFlow: z.string(),
  ClientId: z.string(),
  AuthParameters: z.record(z.string(), z.string()).default({}),
});
const getTokens = z.object({
  ClientId: z.string(),
  RefreshToken: z.string(),
  ClientSecret: z.string().optional(),
  DeviceKey: z.string().optional(),
});

/**
 * Returns a handler for the operations of the user pools API: those of `createUserOperations`, and the two that refresh
 * tokens, `InitiateAuth` with `REFRESH_TOKEN_AUTH` and `GetTokensFromRefreshToken`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function createUserPoolApi(deps: UserOperationsDeps): Handler {
  return createAwsJsonService(USER_POOL_SERVICE, {
    ...createUserOperations(deps),
    async InitiateAuth(input) {
      const { AuthFlow, ClientId, AuthParameters } = initiateAuth.parse(input);
      const client = findClient(ClientId, deps.userPool);
      if (AuthFlow !== 'REFRESH_TOKEN_AUTH' && AuthFlow !== 'REFRESH_TOKEN') {
        throw new AwsError('InvalidParameterException', `${AuthFlow} flow not enabled for this client`);
      }
      // Cognito does not allow this flow together with refresh token rotation.
      if (client.rotatesRefreshTokens) {
        throw new AwsError('NotAuthorizedException', 'Refresh token rotation is enabled for this client.');
      }
      const { grant } = redeem(AuthParameters.REFRESH_TOKEN ?? '', client, deps);
      checkSecretHash(client, grant.sub, AuthParameters.SECRET_HASH);
      return { ChallengeParameters: {}, ...(await authenticationResult(grant, null, deps.tokens)) };
    },
    async GetTokensFromRefreshToken(input) {
      const { ClientId, RefreshToken, ClientSecret } = getTokens.parse(input);
      const client = findClient(ClientId, deps.userPool);
      if (!isClientSecretValid(client, ClientSecret ?? null)) throw invalidRefreshToken();
      const { grant, refreshToken } = redeem(RefreshToken, client, deps);
      return authenticationResult(grant, refreshToken, deps.tokens);
    },
  });
}

function redeem(
  refreshToken: string,
  client: AppClient,
  { grants, users }: UserOperationsDeps,
): ReturnType<Grants['redeem']> {
  try {
    const redeemed = grants.redeem(refreshToken, client.id, client.rotatesRefreshTokens);
    if (users.findBySub(redeemed.grant.sub)?.enabled === false) {
      throw new AwsError('NotAuthorizedException', 'User is disabled.');
    }
    return redeemed;
  } catch (error) {
    if (!(error instanceof RefreshTokenError)) throw error;
    switch (error.reason) {
      case 'reused':
        throw new AwsError('RefreshTokenReuseException', 'Refresh token has already been used.');
      case 'revoked':
        throw new AwsError('NotAuthorizedException', 'Refresh Token has been revoked');
      case 'expired':
        throw new AwsError('NotAuthorizedException', 'Refresh Token has expired');
      case 'unknown':
        throw invalidRefreshToken();
    }
  }
}

/**
 * Returns the error for an unknown token. `GetTokensFromRefreshToken` uses it for a wrong client secret too: AWS does
 * not document another one.
 */
function invalidRefreshToken(): AwsError {
  return new AwsError('NotAuthorizedException', 'Invalid Refresh Token.');
}

/** Throws Cognito's errors for a `SECRET_HASH` that is missing or wrong. */
function checkSecretHash(client: AppClient, username: string, secretHash: string | undefined): void {
  if (isSecretHashValid(client, username, secretHash)) return;
  throw new AwsError(
    'NotAuthorizedException',
    secretHash === undefined
      ? `Client ${client.id} is configured with secret but SECRET_HASH was not received`
      : `SecretHash does not match for the client: ${client.id}`,
  );
}

async function authenticationResult(grant: Grant, refreshToken: string | null, tokens: Tokens) {
  const { idToken, accessToken, expiresIn } = await mintTokens(tokens, grant, null);
  return {
    AuthenticationResult: {
      AccessToken: accessToken,
      ExpiresIn: expiresIn,
      ...(idToken === null ? {} : { IdToken: idToken }),
      ...(refreshToken === null ? {} : { RefreshToken: refreshToken }),
      TokenType: 'Bearer',
    },
  };
}

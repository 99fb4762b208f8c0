import { z } from 'zod';
import { AwsError, createAwsJsonService } from '../http/aws-json.ts';
import type { Handler } from '../http/exchange.ts';
import { type Grants, RefreshTokenError } from './grants.ts';
import type { Grant } from './token-claims.ts';
import { mintTokens, type Tokens } from './tokens.ts';
import { type AppClient, isClientSecretValid, isSecretHashValid, type UserPool } from './user-pool.ts';

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

export type UserPoolApiDeps = { userPool: UserPool; grants: Grants; tokens: Tokens };

/**
 * Returns a handler for the two operations of the user pools API that refresh tokens: `InitiateAuth` with
 * `REFRESH_TOKEN_AUTH`, and `GetTokensFromRefreshToken`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function createUserPoolApi(deps: UserPoolApiDeps): Handler {
  return createAwsJsonService(USER_POOL_SERVICE, {
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
      const { grant } = redeem(AuthParameters.REFRESH_TOKEN ?? '', client, deps.grants);
      if (!isSecretHashValid(client, grant.sub, AuthParameters.SECRET_HASH)) throw invalidRefreshToken();
      return { ChallengeParameters: {}, ...(await authenticationResult(grant, null, deps.tokens)) };
    },
    async GetTokensFromRefreshToken(input) {
      const { ClientId, RefreshToken, ClientSecret } = getTokens.parse(input);
      const client = findClient(ClientId, deps.userPool);
      if (!isClientSecretValid(client, ClientSecret ?? null)) throw invalidRefreshToken();
      const { grant, refreshToken } = redeem(RefreshToken, client, deps.grants);
      return authenticationResult(grant, refreshToken, deps.tokens);
    },
  });
}

function redeem(refreshToken: string, client: AppClient, grants: Grants): ReturnType<Grants['redeem']> {
  try {
    return grants.redeem(refreshToken, client.id, client.rotatesRefreshTokens);
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

/** Cognito uses the same error for a wrong client secret and for a wrong token. */
function invalidRefreshToken(): AwsError {
  return new AwsError('NotAuthorizedException', 'Invalid Refresh Token.');
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

function findClient(id: string, userPool: UserPool): AppClient {
  const client = userPool.findClient(id);
  if (client) return client;
  throw new AwsError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
}

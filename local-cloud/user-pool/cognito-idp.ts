import { z } from 'zod';
import { AwsError, awsJsonService } from '../http/aws-json.ts';
import type { Handler } from '../http/exchange.ts';
import { provesSecret, provesSecretHash } from '../oauth/client-authentication.ts';
import { type Grants, RefreshTokenError } from './grants.ts';
import type { Grant, Tokens } from './tokens.ts';
import type { AppClient, UserPool } from './user-pool.ts';

/** What `X-Amz-Target` begins with. */
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

export type UserPoolApiDependencies = { userPool: UserPool; grants: Grants; tokens: Tokens };

/**
 * The part of the user pools API that renews tokens: `InitiateAuth` with `REFRESH_TOKEN_AUTH`, and
 * `GetTokensFromRefreshToken`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function createUserPoolApi(dependencies: UserPoolApiDependencies): Handler {
  return awsJsonService(USER_POOL_SERVICE, {
    async InitiateAuth(input) {
      const { AuthFlow, ClientId, AuthParameters } = initiateAuth.parse(input);
      const client = findClient(ClientId, dependencies.userPool);
      if (AuthFlow !== 'REFRESH_TOKEN_AUTH' && AuthFlow !== 'REFRESH_TOKEN') {
        throw new AwsError('InvalidParameterException', `${AuthFlow} flow not enabled for this client`);
      }
      // A client that rotates its refresh tokens cannot have this flow.
      if (client.rotatesRefreshTokens) {
        throw new AwsError('NotAuthorizedException', 'Refresh token rotation is enabled for this client.');
      }
      const { grant } = redeem(AuthParameters.REFRESH_TOKEN ?? '', client, dependencies.grants);
      if (!provesSecretHash(client, grant.sub, AuthParameters.SECRET_HASH)) throw invalidRefreshToken();
      return { ChallengeParameters: {}, ...(await authenticationResult(grant, null, dependencies.tokens)) };
    },
    async GetTokensFromRefreshToken(input) {
      const { ClientId, RefreshToken, ClientSecret } = getTokens.parse(input);
      const client = findClient(ClientId, dependencies.userPool);
      if (!provesSecret(client, ClientSecret ?? null)) throw invalidRefreshToken();
      const { grant, refreshToken } = redeem(RefreshToken, client, dependencies.grants);
      return authenticationResult(grant, refreshToken, dependencies.tokens);
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

/** Cognito says the same of a wrong secret and of a wrong token. */
function invalidRefreshToken(): AwsError {
  return new AwsError('NotAuthorizedException', 'Invalid Refresh Token.');
}

async function authenticationResult(grant: Grant, refreshToken: string | null, tokens: Tokens) {
  return {
    AuthenticationResult: {
      AccessToken: await tokens.mintAccessToken(grant),
      ExpiresIn: tokens.lifetime(),
      ...(grant.scopes.includes('openid') ? { IdToken: await tokens.mintIdToken(grant, null) } : {}),
      ...(refreshToken === null ? {} : { RefreshToken: refreshToken }),
      TokenType: 'Bearer',
    },
  };
}

function findClient(id: string, userPool: UserPool): AppClient {
  const client = userPool.client(id);
  if (client) return client;
  throw new AwsError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
}

import { z } from 'zod';
import { AwsError, type AwsOperation } from '../http/aws-json.ts';
import type { Grants } from './grants.ts';
import type { AccessClaims } from './token-claims.ts';
import { TokenError, type Tokens } from './tokens.ts';
import { findClient, isClientSecretValid, USER_ADMIN_SCOPE, type UserPool } from './user-pool.ts';
import type { Users } from './users.ts';

const withAccessToken = z.object({ AccessToken: z.string() });
const adminOfUser = z.object({ UserPoolId: z.string(), Username: z.string() });
const revokeToken = z.object({
  Token: z.string(),
  ClientId: z.string(),
  ClientSecret: z.string().optional(),
});

export type UserOperationsDeps = { userPool: UserPool; grants: Grants; tokens: Tokens; users: Users };

/**
 * Returns the operations of the user pools API that an access token authorizes, `RevokeToken`, and the two that disable
 * and enable a user. The access token needs the scope `aws.cognito.signin.user.admin`. At AWS an administrator signs the
 * last two; here every caller may send them.
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_GetUser.html
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_GlobalSignOut.html
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_RevokeToken.html
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDisableUser.html
 */
export function createUserOperations(deps: UserOperationsDeps): Record<string, AwsOperation> {
  const { userPool, grants, users } = deps;
  return {
    async GetUser(input) {
      const { sub, username } = await verify(withAccessToken.parse(input).AccessToken, deps);
      const user = users.findBySub(sub);
      if (!user) throw new AwsError('UserNotFoundException', 'User does not exist.');
      const attributes = { sub, email: user.email, email_verified: String(user.confirmed) };
      return {
        Username: username,
        UserAttributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
      };
    },
    async GlobalSignOut(input) {
      grants.revokeUser((await verify(withAccessToken.parse(input).AccessToken, deps)).sub);
      return {};
    },
    AdminDisableUser(input) {
      return setEnabled(input, false, deps);
    },
    AdminEnableUser(input) {
      return setEnabled(input, true, deps);
    },
    RevokeToken(input) {
      const { Token, ClientId, ClientSecret } = revokeToken.parse(input);
      const client = findClient(ClientId, userPool);
      if (!isClientSecretValid(client, ClientSecret ?? null)) {
        throw new AwsError('UnauthorizedException', 'Invalid client secret.');
      }
      // Only refresh tokens can be revoked. ID tokens and access tokens are the ones with three parts.
      if (Token.split('.').length === 3) {
        throw new AwsError('UnsupportedTokenTypeException', 'Unsupported token type.');
      }
      grants.revokeToken(Token, client.id);
      return {};
    },
  };
}

/** The username is the `sub` or the email address. */
function setEnabled(input: unknown, enabled: boolean, { userPool, users }: UserOperationsDeps): object {
  const { UserPoolId, Username } = adminOfUser.parse(input);
  if (UserPoolId !== userPool.id) {
    throw new AwsError('ResourceNotFoundException', `User pool ${UserPoolId} does not exist.`);
  }
  const user = users.findBySub(Username) ?? users.find(Username);
  if (!user) throw new AwsError('UserNotFoundException', 'User does not exist.');
  users.setEnabled(user, enabled);
  return {};
}

async function verify(token: string, { tokens }: UserOperationsDeps): Promise<AccessClaims> {
  let claims: AccessClaims;
  try {
    claims = await tokens.verifyAccessToken(token);
  } catch (error) {
    if (error instanceof TokenError) throw new AwsError('NotAuthorizedException', describeTokenError(error));
    throw error;
  }
  if (claims.scope.split(' ').includes(USER_ADMIN_SCOPE)) return claims;
  throw new AwsError('NotAuthorizedException', 'Access Token does not have required scopes');
}

function describeTokenError({ reason }: TokenError): string {
  if (reason === 'expired') return 'Access Token has expired';
  return reason === 'revoked' ? 'Access Token has been revoked' : 'Invalid Access Token';
}

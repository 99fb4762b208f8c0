import { z } from 'zod';
import { AwsError, createAwsJsonService } from '../http/aws-json.ts';
import type { Handler } from '../http/exchange.ts';
import type { Roles } from '../infra/roles.ts';
import { type Grants, RefreshTokenError } from './grants.ts';
import { type AccessClaims, type IssuedTokens, TokenError, type Tokens } from './tokens.ts';
import {
  type AppClient,
  findClient,
  isSecretHashValid,
  USER_ADMIN_SCOPE,
  type UserPool,
} from './user-pool.ts';
import { MAX_PASSWORD_LENGTH, type User, type Users } from './users.ts';

/** The service name in `X-Amz-Target`. */
export const USER_POOL_SERVICE = 'AWSCognitoIdentityProviderService';

/** Cognito's rule for passwords as such: no white space at either end. */
const passwordField = z
  .string()
  .max(MAX_PASSWORD_LENGTH)
  .regex(/^\S(?:.*\S)?$/s);

const initiateAuth = z.object({
  AuthFlow: z.string(),
  ClientId: z.string(),
  AuthParameters: z.record(z.string(), z.string()).default({}),
});
const withClient = z.object({ ClientId: z.string(), ClientSecret: z.string().nullable().default(null) });
const getTokens = withClient.extend({ RefreshToken: z.string() });
const revokeToken = withClient.extend({ Token: z.string() });
const withAccessToken = z.object({ AccessToken: z.string() });
const attributeName = z.string().min(1).max(32);
const updateAttributes = z.object({
  UserAttributes: z.array(z.object({ Name: attributeName, Value: z.string().max(2048).default('') })),
});
const changePassword = z.object({ PreviousPassword: z.string(), ProposedPassword: passwordField });
const adminOfUser = z.object({ UserPoolId: z.string(), Username: z.string() });
const adminOfGroup = adminOfUser.extend({ GroupName: z.string() });

export type UserPoolApiDeps = {
  userPool: UserPool;
  grants: Grants;
  tokens: Tokens;
  users: Users;
  groups: Roles['groups'];
};

/**
 * Returns a handler for the operations of the user pools API that an app client or an access token authorizes, and for those
 * with which an administrator disables and enables a user and changes the groups of a user. An administrator signs them at
 * AWS; here every caller may send them.
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/Welcome.html
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function createUserPoolApi(deps: UserPoolApiDeps): Handler {
  const { userPool, grants, tokens, users } = deps;
  return createAwsJsonService(USER_POOL_SERVICE, {
    async InitiateAuth(input) {
      const { AuthFlow, ClientId, AuthParameters } = initiateAuth.parse(input);
      const client = findClient(ClientId, userPool);
      if (AuthFlow !== 'REFRESH_TOKEN_AUTH' && AuthFlow !== 'REFRESH_TOKEN') {
        throw new AwsError('InvalidParameterException', `${AuthFlow} flow not enabled for this client`);
      }
      // Cognito does not allow this flow together with refresh token rotation.
      if (client.rotatesRefreshTokens) {
        throw notAuthorized('Refresh token rotation is enabled for this client.');
      }
      const { grant } = redeem(AuthParameters.REFRESH_TOKEN ?? '', client, grants);
      checkSecretHash(client, grant.sub, AuthParameters.SECRET_HASH);
      return { ChallengeParameters: {}, ...toResult(await tokens.issue(grant, null), null) };
    },
    async GetTokensFromRefreshToken(input) {
      const { ClientId, RefreshToken, ClientSecret } = getTokens.parse(input);
      const client = findClient(ClientId, userPool);
      // AWS does not document another error for a wrong client secret.
      if (client.secret !== ClientSecret) throw notAuthorized('Invalid Refresh Token.');
      const { grant, refreshToken } = redeem(RefreshToken, client, grants);
      return toResult(await tokens.issue(grant, null), refreshToken);
    },
    RevokeToken(input) {
      const { Token, ClientId, ClientSecret } = revokeToken.parse(input);
      const client = findClient(ClientId, userPool);
      if (client.secret !== ClientSecret) {
        throw new AwsError('UnauthorizedException', 'Invalid client secret.');
      }
      grants.revokeToken(Token, client.id);
      return {};
    },
    async GetUser(input) {
      const user = await ownUser(input, deps);
      const { sub, email, name, confirmed } = user;
      const named = name === null ? {} : { name };
      const attributes = { sub, email, email_verified: String(confirmed), ...named };
      return {
        Username: sub,
        UserAttributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
      };
    },
    async UpdateUserAttributes(input) {
      const user = await ownUser(input, deps);
      const { UserAttributes } = updateAttributes.parse(input);
      for (const { Name } of UserAttributes) {
        if (Name === 'name' && userPool.writableAttributes.includes(Name)) continue;
        throw notAuthorized('A client attempted to write unauthorized attribute');
      }
      for (const { Value } of UserAttributes) users.setName(user, Value === '' ? null : Value);
      return { CodeDeliveryDetailsList: [] };
    },
    async ChangePassword(input) {
      const user = await ownUser(input, deps);
      const { PreviousPassword, ProposedPassword } = changePassword.parse(input);
      if (!(await users.authenticate(user.email, PreviousPassword))) {
        throw notAuthorized('Incorrect username or password.');
      }
      if (ProposedPassword.length < userPool.minPasswordLength) {
        const reason = 'Password did not conform with policy: Password not long enough';
        throw new AwsError('InvalidPasswordException', reason);
      }
      await users.setPassword(user, ProposedPassword);
      return {};
    },
    async DeleteUser(input) {
      users.remove(await ownUser(input, deps));
      return {};
    },
    async GlobalSignOut(input) {
      grants.revokeUser((await ownUser(input, deps)).sub);
      return {};
    },
    AdminDisableUser(input) {
      users.setEnabled(findUser(input, deps), false);
      return {};
    },
    AdminEnableUser(input) {
      users.setEnabled(findUser(input, deps), true);
      return {};
    },
    AdminAddUserToGroup(input) {
      users.setGroup(findUser(input, deps), findGroup(input, deps), true);
      return {};
    },
    AdminRemoveUserFromGroup(input) {
      users.setGroup(findUser(input, deps), findGroup(input, deps), false);
      return {};
    },
  });
}

function redeem(refreshToken: string, client: AppClient, grants: Grants): ReturnType<Grants['redeem']> {
  try {
    return grants.redeem(refreshToken, client);
  } catch (error) {
    if (!(error instanceof RefreshTokenError)) throw error;
    switch (error.reason) {
      case 'reused':
        throw new AwsError('RefreshTokenReuseException', 'Refresh token has already been used.');
      case 'revoked':
        throw notAuthorized('Refresh Token has been revoked');
      case 'expired':
        throw notAuthorized('Refresh Token has expired');
      case 'disabled':
        throw notAuthorized('User is disabled.');
      case 'unknown':
        throw notAuthorized('Invalid Refresh Token.');
    }
  }
}

function checkSecretHash(client: AppClient, username: string, secretHash: string | undefined): void {
  if (isSecretHashValid(client, username, secretHash)) return;
  throw notAuthorized(
    secretHash === undefined
      ? `Client ${client.id} is configured with secret but SECRET_HASH was not received`
      : `SecretHash does not match for the client: ${client.id}`,
  );
}

function toResult({ idToken, accessToken, expiresIn }: IssuedTokens, refreshToken: string | null) {
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

/** Returns the user of an access token with the scope for it. */
async function ownUser(input: unknown, { tokens, users }: UserPoolApiDeps): Promise<User> {
  const { sub } = await verify(withAccessToken.parse(input).AccessToken, tokens);
  const user = users.findBySub(sub);
  if (!user) throw new AwsError('UserNotFoundException', 'User does not exist.');
  if (!user.enabled) throw notAuthorized('User is disabled.');
  return user;
}

async function verify(token: string, tokens: Tokens): Promise<AccessClaims> {
  const claims = await tokens.verifyAccessToken(token).catch((error: unknown) => {
    if (error instanceof TokenError) throw notAuthorized(describeTokenError(error));
    throw error;
  });
  if (claims.scope.split(' ').includes(USER_ADMIN_SCOPE)) return claims;
  throw notAuthorized('Access Token does not have required scopes');
}

function describeTokenError({ reason }: TokenError): string {
  if (reason === 'expired') return 'Access Token has expired';
  return reason === 'revoked' ? 'Access Token has been revoked' : 'Invalid Access Token';
}

/** Returns the user with this username, which is the `sub` or the email address. */
function findUser(input: unknown, { userPool, users }: UserPoolApiDeps): User {
  const { UserPoolId, Username } = adminOfUser.parse(input);
  if (UserPoolId !== userPool.id) {
    throw new AwsError('ResourceNotFoundException', `User pool ${UserPoolId} does not exist.`);
  }
  const user = users.findBySub(Username) ?? users.find(Username);
  if (!user) throw new AwsError('UserNotFoundException', 'User does not exist.');
  return user;
}

/** Returns the name of a group of the template. */
function findGroup(input: unknown, { groups }: UserPoolApiDeps): string {
  const { GroupName } = adminOfGroup.parse(input);
  if (groups.has(GroupName)) return GroupName;
  throw new AwsError('ResourceNotFoundException', 'Group not found.');
}

function notAuthorized(message: string): AwsError {
  return new AwsError('NotAuthorizedException', message);
}

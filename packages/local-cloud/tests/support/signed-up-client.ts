/** An app client with the tokens of a new user, and the requests that it sends to the local cloud with them. */

import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, type OAuthClient } from '../../../../tests/support/sign-in/oauth-client.ts';
import type { LocalCloud } from '../../start.ts';
import type { ClientKind } from '../../user-pool/user-pool.ts';

export const ann = { email: 'ann@example.com', password: 'correct horse' };

/**
 * Signs up as Ann and returns the client with its callback URL and its tokens. `changes` are changed parameters of the
 * authorization request. Throws when a token is missing.
 */
export async function signUpAtClient(
  cloud: LocalCloud,
  kind: ClientKind = 'rotating',
  changes: Record<string, string> = {},
) {
  const client = createOAuthClient(cloud, kind);
  const callback = await createHostedLoginVisitor(cloud).signUp(client.authorizeUrl(changes), ann);
  const { status, body } = await client.redeem(callback);
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || !idToken || !accessToken || !refreshToken) {
    throw new Error(`The token endpoint responded with status ${status} and error ${body.error}.`);
  }
  return { client, callback, idToken, accessToken, refreshToken };
}

/** Calls an operation of the user pools API. */
export async function callUserPoolApi(cloud: LocalCloud, operation: string, input: unknown) {
  const response = await fetch(`${cloud.origin}/cognito-idp/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Refreshes tokens with the operation `GetTokensFromRefreshToken`. */
export function getTokensFromRefreshToken(cloud: LocalCloud, client: OAuthClient, refreshToken: string) {
  return callUserPoolApi(cloud, 'GetTokensFromRefreshToken', {
    ClientId: client.id,
    RefreshToken: refreshToken,
    ...(client.secret === null ? {} : { ClientSecret: client.secret }),
  });
}

/** Sends an access token to the userInfo endpoint. */
export function fetchUserInfo(cloud: LocalCloud, accessToken: string): Promise<Response> {
  return fetch(`${cloud.origin}/oauth2/userInfo`, { headers: { authorization: `Bearer ${accessToken}` } });
}

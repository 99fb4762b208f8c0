/** An app client with the tokens of a new user, and the requests that it sends to the local cloud with them. */

import type { ClientKind, LocalCloud } from '@tenfold/local-cloud';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient } from '../../../../tests/support/sign-in/oauth-client.ts';

export const ann = { email: 'ann@example.com', password: 'correct horse' };

/**
 * Signs up as Ann and returns the client with its callback URL and its tokens. `changes` are changed parameters of the
 * authorization request. Throws when a token is missing.
 */
export async function signUpAtClient(
  cloud: LocalCloud,
  kind: ClientKind = 'rotating',
  changes: Record<string, string> = {},
  email = ann.email,
) {
  const client = createOAuthClient(cloud, kind);
  const visitor = createHostedLoginVisitor(cloud);
  const callback = await visitor.signUp(client.authorizeUrl(changes), { ...ann, email });
  const { status, body } = await client.redeem(callback);
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || !idToken || !accessToken || !refreshToken) {
    throw new Error(`The token endpoint responded with status ${status} and error ${body.error}.`);
  }
  return { client, callback, idToken, accessToken, refreshToken };
}

const services = {
  'cognito-idp': 'AWSCognitoIdentityProviderService',
  'cognito-identity': 'AWSCognitoIdentityService',
};

/** Calls an operation of the user pools API or the identity pools API. */
export async function callAws(
  cloud: LocalCloud,
  service: keyof typeof services,
  operation: string,
  input: unknown,
) {
  const response = await fetch(`${cloud.origin}/${service}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `${services[service]}.${operation}`,
    },
    body: JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Returns the status with which the data API responds to a token. */
export async function statusWith(cloud: LocalCloud, authorization: string): Promise<number> {
  const body = JSON.stringify({ query: '{ __typename }' });
  const response = await fetch(`${cloud.origin}/graphql`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
  return response.status;
}

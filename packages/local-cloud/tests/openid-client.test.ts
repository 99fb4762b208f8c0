import * as openid from 'openid-client';
import { expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import { CALLBACK_URL, SITE_ORIGIN } from '../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { ann } from './support/signed-up-client.ts';

const local = startLocalCloudForTests();

/** Configures the library by discovery. It verifies signatures with the published keys. */
function discover() {
  const { COGNITO_ISSUER, COGNITO_CLIENT_ID, COGNITO_CLIENT_SECRET } = local.cloud.environment();
  return openid.discovery(
    new URL(COGNITO_ISSUER ?? ''),
    COGNITO_CLIENT_ID ?? '',
    undefined,
    openid.ClientSecretBasic(COGNITO_CLIENT_SECRET ?? ''),
    { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
  );
}

test('openid-client signs in, refreshes, revokes and signs out', async () => {
  const config = await discover();
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const expectedNonce = openid.randomNonce();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK_URL,
    scope: 'openid email profile',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const visitor = createHostedLoginVisitor(local.cloud);
  const callback = await visitor.signUp(url, ann);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(config, callback, checks);
  const claims = tokens.claims();
  expect(claims).toMatchObject({ email: ann.email, token_use: 'id' });

  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(refreshed.claims()).toMatchObject({ sub: claims?.sub, auth_time: claims?.auth_time });
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);

  await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
  await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const logout = openid.buildEndSessionUrl(config, { logout_uri: `${SITE_ORIGIN}/` });
  expect((await visitor.open(logout)).url.href).toBe(`${SITE_ORIGIN}/`);
  expect((await visitor.open(url)).url.pathname, 'the password is needed again').toBe('/login');
});

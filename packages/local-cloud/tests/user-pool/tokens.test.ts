import { JwtVerifier } from 'aws-jwt-verify';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann, fetchUserInfo, signUpAtClient } from '../support/signed-up-client.ts';

const SECOND = 1000;

const local = startLocalCloudForTests();

describe('tokens', () => {
  test('are accepted by AWS’s own verifier with the published keys', async () => {
    const { client, idToken, accessToken } = await signUpAtClient(local.cloud);
    const issuer = local.cloud.environment().COGNITO_ISSUER ?? '';
    const discovery = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(discovery.issuer).toBe(issuer);
    const jwks = await (await fetch(discovery.jwks_uri)).json();
    const verifier = JwtVerifier.create([{ issuer, audience: null, jwksUri: discovery.jwks_uri }]);
    verifier.cacheJwks(jwks, issuer);
    expect(verifier.verifySync(idToken)).toMatchObject({ aud: client.id, token_use: 'id', email: ann.email });
    expect(verifier.verifySync(accessToken)).toMatchObject({ client_id: client.id, token_use: 'access' });
  });

  test('have the sizes of Cognito’s tokens, which do not fit in one cookie', async () => {
    const { idToken, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    expect(accessToken.length).toBeGreaterThan(1_000);
    expect(accessToken.length).toBeLessThan(1_250);
    expect(idToken.length).toBeGreaterThan(1_650);
    expect(idToken.length).toBeLessThan(1_950);
    expect(refreshToken.length).toBeGreaterThan(1_700);
    expect(refreshToken).toMatch(/^eyJjd[\w-]+(\.[\w-]+){4}$/);
  });

  test('have Cognito’s headers and claims', async () => {
    const { client, idToken, accessToken } = await signUpAtClient(local.cloud);
    expect(decodeProtectedHeader(idToken)).toEqual({ kid: expect.any(String), alg: 'RS256' });
    expect(decodeProtectedHeader(accessToken).kid).not.toBe(decodeProtectedHeader(idToken).kid);
    const id = decodeJwt(idToken);
    const access = decodeJwt(accessToken);
    expect(id).toMatchObject({
      'cognito:username': id.sub,
      aud: client.id,
      email_verified: true,
      nonce: 'a-nonce-of-32-octets-in-base64url-as-sites-send',
      origin_jti: access.origin_jti,
      exp: Math.floor(local.now / 1000) + 3600,
    });
    expect(access).toMatchObject({ sub: id.sub, username: id.sub, scope: 'openid email profile' });
    expect(access).not.toHaveProperty('aud');
  });

  test('include no ID token without the scope openid', async () => {
    const client = createOAuthClient(local.cloud);
    const callback = await createHostedLoginVisitor(local.cloud).signUp(
      client.authorizeUrl({ scope: 'email' }),
      ann,
    );
    const { body } = await client.redeem(callback);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
    expect((await fetchUserInfo(local.cloud, body.access_token ?? '')).status).toBe(403);
  });

  test('expire after the lifetime that the fault settings set', async () => {
    local.cloud.faults.set({ tokenSeconds: 6 });
    const { accessToken } = await signUpAtClient(local.cloud);
    local.now += 5 * SECOND;
    expect((await fetchUserInfo(local.cloud, accessToken)).status).toBe(200);
    local.now += 2 * SECOND;
    const expired = await fetchUserInfo(local.cloud, accessToken);
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

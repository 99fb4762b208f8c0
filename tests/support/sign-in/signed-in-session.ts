/** A session with real tokens: an account made at the local cloud's hosted login, and its code redeemed. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Env, parseEnv } from '../../../app/server/config/env.ts';
import type { SignedIn } from '../../../app/server/session/session.ts';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { createHostedLoginVisitor } from './hosted-login.ts';

export const APP_ORIGIN = 'http://localhost:3000';

/** The site's configuration for this cloud, with other values where they are given. */
export function siteEnv(cloud: LocalCloud, overrides: Record<string, string> = {}): Env {
  return parseEnv({
    APP_ORIGIN,
    SESSION_SECRETS: 'q3Lr8vWz1XcB6nM0aSdF9gHjK2pT5yUe',
    ...cloud.environment({ appOrigin: APP_ORIGIN }),
    ...overrides,
  });
}

/** Signs a new user up and in. */
export async function signUp(cloud: LocalCloud): Promise<SignedIn> {
  const { userPool } = siteEnv(cloud);
  const email = `${randomUUID()}@example.com`;
  const codeVerifier = randomBytes(32).toString('base64url');
  const redirectUri = `${APP_ORIGIN}/auth/callback`;
  const authorize = new URL('/oauth2/authorize', userPool.domain);
  authorize.search = new URLSearchParams({
    response_type: 'code',
    client_id: userPool.clientId,
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: randomUUID(),
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const callback = await createHostedLoginVisitor(cloud).signUp(authorize, {
    email,
    password: 'Correct-Horse-7',
  });
  const response = await fetch(new URL('/oauth2/token', userPool.domain), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${userPool.clientId}:${userPool.clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    }),
  });
  const { access_token: accessToken, id_token: idToken } = await response.json();
  return {
    state: 'signed-in',
    id: randomUUID(),
    tokens: { accessToken, idToken, refreshToken: null, deviceKey: null, clockDrift: 0 },
    user: { sub: randomUUID(), email, name: null },
  };
}

/** Sessions with tokens of the local cloud, for tests below the level of HTTP. */
import { randomUUID } from 'node:crypto';
import type { LocalCloud } from '@tenfold/local-cloud';
import { type Env, parseEnv } from '../../../app/server/config/env.ts';
import type { SignedIn } from '../../../packages/cognito-session/src/session/session.ts';
import { createHostedLoginVisitor, PASSWORD } from './hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from './oauth-client.ts';

export const APP_ORIGIN = SITE_ORIGIN;

/** Returns the site's configuration for this cloud. `overrides` replace single variables. */
export function siteEnv(cloud: LocalCloud, overrides: Record<string, string> = {}): Env {
  return parseEnv({
    APP_ORIGIN,
    SESSION_SECRETS: 'q3Lr8vWz1XcB6nM0aSdF9gHjK2pT5yUe',
    ...cloud.environment({ appOrigin: APP_ORIGIN }),
    ...overrides,
  });
}

/** Creates an account at the hosted login and returns a session with its tokens. */
export async function signUp(cloud: LocalCloud): Promise<SignedIn> {
  const client = createOAuthClient(cloud);
  const email = `${randomUUID()}@example.com`;
  const authorize = client.authorizeUrl({ nonce: null });
  const callback = await createHostedLoginVisitor(cloud).signUp(authorize, { email, password: PASSWORD });
  const { access_token: accessToken = '', id_token: idToken = '' } = (await client.redeem(callback)).body;
  return {
    state: 'signed-in',
    id: randomUUID(),
    tokens: { accessToken, idToken, refreshToken: null, deviceKey: null, clockDrift: 0 },
    user: { sub: randomUUID(), email, name: null, groups: [] },
  };
}

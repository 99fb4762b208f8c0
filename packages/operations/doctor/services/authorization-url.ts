import type { Env } from '../../../../app/server/config/env.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { systemClock } from '../../../../app/server/resilience/clock.ts';
import {
  createAuthenticator,
  readAuthorizationRequest,
} from '../../../../app/server/user-pool/hosted-login.ts';
import { createTokenVerifier } from '../../../../app/server/user-pool/token-verifier.ts';

/** Returns the address to which the site redirects for a sign-in in English. Sends nothing. */
export async function createAuthorizationUrl(env: Pick<Env, 'appOrigin' | 'userPool'>): Promise<string> {
  const verifier = createTokenVerifier({ env, clock: systemClock });
  const authenticator = createAuthenticator({ env, verifier, metrics: noMetrics });
  const request = new Request(`${env.appOrigin}/auth/sign-in`);
  return (await readAuthorizationRequest(authenticator.authenticate('sign-in', request))).location;
}

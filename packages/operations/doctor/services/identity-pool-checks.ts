/** The identity pool: whether it accepts the user pool's tokens, and guests. It is called with the site's own client. */
import type { Env } from '../../../../app/server/config/env.ts';
import {
  GUESTS_NOT_ALLOWED,
  type IdentityPool,
  providerNameOf,
} from '../../../../app/server/identity/identity-pool.ts';
import { ConfigurationError } from '../../../../app/server/resilience/configuration-error.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import type { Guest } from './guest.ts';

type PoolEnv = Pick<Env, 'identityPool' | 'userPool'>;

/** The checks of the identity pool that `env` configures. */
export function createIdentityPoolChecks(
  env: PoolEnv,
  { pool, guest, timeoutMs }: { pool: IdentityPool; guest: Guest; timeoutMs: number },
): Check[] {
  return [
    { name: 'Identity provider', run: () => checkProvider(env, pool, AbortSignal.timeout(timeoutMs)) },
    { name: 'Guests', run: () => checkGuests(env, guest) },
  ];
}

/** Sends a value that is no token. The identity pool first checks whether it accepts the provider. */
async function checkProvider(env: PoolEnv, pool: IdentityPool, signal: AbortSignal): Promise<Finding> {
  const { issuer, clientId: client } = env.userPool;
  const provider = providerNameOf(issuer);
  try {
    await pool.getId({ [provider]: 'not-a-token' }, signal);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.code === 'ResourceNotFoundException') {
      return problem('identity-pool-not-found', { pool: env.identityPool.id });
    }
    if (error.code !== 'NotAuthorizedException') return explainFailure(error, env);
    if (error instanceof ConfigurationError) return problem('provider-not-accepted', { provider, client });
  }
  return ok(`The identity pool accepts tokens of ${provider}.`);
}

async function checkGuests(env: PoolEnv, guest: Guest): Promise<Finding> {
  try {
    const issued = await guest.credentials();
    if (issued === null) return ok('COGNITO_ALLOW_GUESTS is false: the site creates no guests.');
    return ok('The identity pool gives credentials to guests.');
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.code === 'ResourceNotFoundException') return notChecked('The identity pool does not exist.');
    if (error.code === GUESTS_NOT_ALLOWED) return problem('guests-not-allowed', {});
    const { status = 0 } = error.details;
    if (status >= 400 && status < 500 && status !== 429) {
      return problem('guest-credentials-refused', { reason: error.code });
    }
    return explainFailure(error, env);
  }
}

function explainFailure({ code, details }: UpstreamError, { identityPool }: PoolEnv): Finding {
  const service = 'The identity pool';
  const address = identityPool.endpoint ?? `cognito-identity.${identityPool.region}`;
  const setting = 'the region at the start of COGNITO_IDENTITY_POOL_ID';
  switch (code) {
    case 'NetworkError':
      return problem('service-unreachable', { service, address, setting, reason: 'network error' });
    case 'TimeoutError':
      return problem('service-timeout', { service, address, setting });
    case 'InvalidResponse':
      return problem('service-unexpected', { service, address, setting, expected: 'that of AWS' });
    default:
      return details.status !== undefined && details.status >= 500
        ? problem('service-failing', { service, address, setting, status: details.status })
        : notChecked(`The identity pool responds with ${code}.`);
  }
}

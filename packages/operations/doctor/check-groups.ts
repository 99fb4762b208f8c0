/** All checks in the order in which they are printed. */
import { readFileSync } from 'node:fs';
import type { Env } from '../../../app/server/config/env.ts';
import { createIdentityPool } from '../../../app/server/identity/identity-pool.ts';
import { createLog } from '../../../app/server/observability/log.ts';
import { notChecked } from './findings/finding.ts';
import type { CheckGroup } from './findings/run-checks.ts';
import { createConfigurationChecks } from './services/configuration-checks.ts';
import { createDataApiChecks } from './services/data-api-checks.ts';
import { createGuest } from './services/guest.ts';
import { createHostedLoginChecks } from './services/hosted-login-checks.ts';
import { createIdentityPoolChecks } from './services/identity-pool-checks.ts';
import { createMemberChecks } from './services/member-checks.ts';
import type { Member } from './services/member-sign-in.ts';
import { createSharedStoreChecks } from './services/shared-store-checks.ts';
import { createSiteChecks } from './services/site-checks.ts';
import { createUserPoolChecks } from './services/user-pool-checks.ts';

type Variables = Record<string, string | undefined>;

export type CheckDeps = {
  env: Env;
  /** The variables that `env` was parsed from. */
  variables: Variables;
  timeoutMs: number;
  /** The test member of the round trip through the API; null when none is named. */
  member: Member | null;
  /** Called with every secret that a service issues. */
  onSecret: (value: string) => void;
};

/** The checks that need no AWS credentials. */
export function createServiceGroups({
  env,
  variables,
  timeoutMs,
  member,
  onSecret,
}: CheckDeps): CheckGroup[] {
  const pool = createIdentityPool({ env, clock: Date.now, log: createLog('silent') });
  const guest = createGuest(env, pool, { timeoutMs, onSecret });
  let hasClient = true;
  return [
    { title: 'Configuration', checks: createConfigurationChecks(env, variables) },
    {
      title: 'Sign-in',
      checks: [
        ...createUserPoolChecks(env, {
          timeoutMs,
          onMissingClient: () => {
            hasClient = false;
          },
        }),
        ...createHostedLoginChecks(env, { timeoutMs, hasClient: () => hasClient }),
      ],
    },
    { title: 'Identity pool', checks: createIdentityPoolChecks(env, { pool, guest, timeoutMs }) },
    { title: 'Data API', checks: createDataApiChecks(env, guest, timeoutMs) },
    ...(member === null
      ? []
      : [{ title: 'Test member', checks: createMemberChecks(env, member, { pool, timeoutMs, onSecret }) }]),
    { title: 'Shared store', checks: createSharedStoreChecks(env.redisUrl, timeoutMs) },
    { title: 'Site', checks: createSiteChecks(env, timeoutMs) },
  ];
}

/** The checks of the settings in the AWS account, with the credentials of an operator. */
export async function createAccountGroup({ env, variables, timeoutMs }: CheckDeps): Promise<CheckGroup> {
  const { explainMissingCredentials } = await import('./account/credentials.ts');
  const profile = variables.AWS_PROFILE;
  const reason = await explainMissingCredentials(env.userPool.region, { timeoutMs, profile });
  if (reason !== null) {
    return { title: 'AWS account', checks: [{ name: 'Settings', run: async () => notChecked(reason) }] };
  }
  // The SDK clients take a second to load.
  const { createAccountChecks } = await import('./account/account-checks.ts');
  const schema = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
  const checks = createAccountChecks(env, { schema, endpoint: variables.AWS_ENDPOINT_URL, timeoutMs });
  return { title: 'AWS account', checks };
}

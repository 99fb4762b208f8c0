/** The settings of the identity pool, as the account has them. */
import {
  CognitoIdentityClient,
  DescribeIdentityPoolCommand,
  GetIdentityPoolRolesCommand,
  type IdentityPool,
} from '@aws-sdk/client-cognito-identity';
import { GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import type { Env } from '../../../../app/server/config/env.ts';
import { providerNameOf } from '../../../../app/server/identity/identity-pool.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';
import { parseTrust, type Trust } from './role-trust.ts';

const PROVIDER = 'cognito-identity.amazonaws.com';

type PoolEnv = Pick<Env, 'identityPool' | 'userPool'>;

/** The ARNs of the two roles; null for a role that the identity pool does not have. */
type PoolRoles = { member: string | null; guest: string | null; hasMappings: boolean };

/** Reads the roles of the identity pool. Resolves to null when the account has no such identity pool. */
export type ReadRoles = (signal: AbortSignal) => Promise<PoolRoles | null>;

/** Creates a function that reads the roles of the identity pool once. */
export function createRoleReader({ identityPool }: PoolEnv, options: OperatorOptions): ReadRoles {
  const client = new CognitoIdentityClient(clientConfig(identityPool.region, options));
  const read: ReadRoles = async (abortSignal) => {
    const command = new GetIdentityPoolRolesCommand({ IdentityPoolId: identityPool.id });
    const response = await callAccount('cognito-identity:GetIdentityPoolRoles', () =>
      client.send(command, { abortSignal }),
    );
    const { authenticated = null, unauthenticated = null } = response?.Roles ?? {};
    const hasMappings = Object.keys(response?.RoleMappings ?? {}).length > 0;
    return response && { member: authenticated, guest: unauthenticated, hasMappings };
  };
  let roles: ReturnType<ReadRoles> | undefined;
  return (signal) => {
    roles ??= read(signal);
    return roles;
  };
}

/** The check of the identity pool's settings. */
export function createIdentityPoolAccountChecks(
  env: PoolEnv,
  options: OperatorOptions,
  readRoles: ReadRoles,
): Check[] {
  const client = new CognitoIdentityClient(clientConfig(env.identityPool.region, options));
  const command = new DescribeIdentityPoolCommand({ IdentityPoolId: env.identityPool.id });
  const iam = new IAMClient(clientConfig(env.identityPool.region, options));
  const assessTrust = async (arn: string, visitors: string, abortSignal: AbortSignal) => {
    const RoleName = arn.split('/').pop() ?? '';
    const described = await callAccount('iam:GetRole', () =>
      iam.send(new GetRoleCommand({ RoleName }), { abortSignal }),
    );
    const trust = parseTrust(described?.Role?.AssumeRolePolicyDocument);
    return describeTrust(trust, { role: RoleName, visitors, pool: env.identityPool.id });
  };
  return [
    {
      name: 'Identity pool',
      async run(abortSignal) {
        const pool = await callAccount('cognito-identity:DescribeIdentityPool', () =>
          client.send(command, { abortSignal }),
        );
        if (!pool) return notChecked('The account of the AWS credentials has no such identity pool.');
        const found = assessIdentityPool(pool, env);
        return found.length > 0 ? found : ok('The settings of the identity pool fit the site.');
      },
    },
    {
      name: 'Roles',
      async run(signal) {
        const roles = await readRoles(signal);
        if (!roles) return notChecked('The account of the AWS credentials has no such identity pool.');
        if (!roles.member) return problem('pool-member-role-missing', {});
        const found = [
          !roles.guest && env.identityPool.allowGuests && problem('pool-guest-role-missing', {}),
          roles.hasMappings && problem('pool-role-mappings', {}),
          await assessTrust(roles.member, 'authenticated', signal),
          roles.guest !== null && (await assessTrust(roles.guest, 'unauthenticated', signal)),
        ].filter((finding) => typeof finding === 'object' && finding !== null);
        return found.length > 0
          ? found
          : ok('The identity pool has the roles that the site needs, and the roles trust it.');
      },
    },
  ];
}

/**
 * Returns a problem unless the identity pool can give out the role to these visitors, or null.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/role-trust-and-permissions.html
 */
function describeTrust(
  trust: readonly Trust[],
  { role, visitors, pool }: { role: string; visitors: string; pool: string },
): Finding | null {
  const ofCognito = trust.filter(({ providers }) => providers.includes(PROVIDER));
  const ofPool = ofCognito.filter(({ conditions }) => conditions[`${PROVIDER}:aud`]?.includes(pool));
  if (ofPool.length === 0) return problem('role-trusts-other-pool', { role, pool });
  const accepts = ({ conditions }: Trust) => conditions[`${PROVIDER}:amr`]?.includes(visitors) ?? true;
  return ofPool.some(accepts) ? null : problem('role-trusts-other-visitors', { role, visitors });
}

/**
 * Returns the problems of an identity pool.
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_DescribeIdentityPool.html
 */
function assessIdentityPool(pool: IdentityPool, { identityPool, userPool }: PoolEnv): Finding[] {
  const provider = providerNameOf(userPool.issuer);
  const accepted = pool.CognitoIdentityProviders?.find(
    ({ ProviderName, ClientId }) => ProviderName === provider && ClientId === userPool.clientId,
  );
  const guests = pool.AllowUnauthenticatedIdentities === true;
  return [
    !guests && identityPool.allowGuests && problem('pool-guests-not-allowed', {}),
    guests && !identityPool.allowGuests && problem('pool-guests-unused', {}),
    !accepted && problem('pool-provider-missing', { provider, client: userPool.clientId }),
    accepted?.ServerSideTokenCheck === false && problem('pool-token-check-off', {}),
    pool.AllowClassicFlow === true && problem('pool-classic-flow', {}),
  ].filter((finding) => finding !== false);
}

/** The settings of the app client and of the hosted login's domain, as the account has them. */
import {
  CognitoIdentityProviderClient,
  DescribeManagedLoginBrandingByClientCommand,
  DescribeUserPoolClientCommand,
  DescribeUserPoolCommand,
  DescribeUserPoolDomainCommand,
  type UserPoolType,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { assessAppClient } from './app-client-settings.ts';
import { checkEmail, checkTriggers } from './email-and-triggers.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';
import { assessRequiredAttributes, assessUserPool } from './user-pool-settings.ts';

/** Why nothing is checked with credentials of another account. */
const OTHER_ACCOUNT = 'The account of the AWS credentials does not have this user pool.';

type PoolEnv = Pick<Env, 'appOrigin' | 'session' | 'userPool'>;

/** The checks of the user pool's settings. */
export function createUserPoolAccountChecks(env: PoolEnv, options: OperatorOptions): Check[] {
  const { id: UserPoolId, clientId: ClientId, region, domain } = env.userPool;
  const client = new CognitoIdentityProviderClient(clientConfig(region, options));

  let described: Promise<UserPoolType | null> | undefined;
  const readPool = (abortSignal: AbortSignal) => {
    described ??= callAccount('cognito-idp:DescribeUserPool', async () => {
      const { UserPool } = await client.send(new DescribeUserPoolCommand({ UserPoolId }), { abortSignal });
      return UserPool ?? null;
    });
    return described;
  };
  const withPool = (
    name: string,
    run: (pool: UserPoolType, signal: AbortSignal) => Promise<Finding | Finding[]>,
  ): Check => ({
    name,
    async run(signal) {
      const pool = await readPool(signal);
      return pool ? run(pool, signal) : notChecked(OTHER_ACCOUNT);
    },
  });
  const describeClient = (abortSignal: AbortSignal) =>
    callAccount('cognito-idp:DescribeUserPoolClient', () =>
      client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }), { abortSignal }),
    );
  const describeDomain = (abortSignal: AbortSignal) =>
    callAccount('cognito-idp:DescribeUserPoolDomain', () =>
      client.send(new DescribeUserPoolDomainCommand({ Domain: domainName(domain) }), { abortSignal }),
    );
  const describeBranding = (abortSignal: AbortSignal) =>
    callAccount('cognito-idp:DescribeManagedLoginBrandingByClient', () =>
      client.send(new DescribeManagedLoginBrandingByClientCommand({ UserPoolId, ClientId }), { abortSignal }),
    );

  return [
    withPool('User pool', async (pool) => {
      const found = assessUserPool(pool);
      return found.length > 0 ? found : ok('The settings of the user pool fit the site.');
    }),
    withPool('E-mail', (pool, signal) => checkEmail(pool, options, signal)),
    withPool('Triggers', (pool, signal) => checkTriggers(pool, options, signal)),
    {
      name: 'App client',
      async run(signal) {
        const described = await describeClient(signal);
        if (!described?.UserPoolClient)
          return notChecked('The account of the AWS credentials has no such app client.');
        const pool = await readPool(signal).catch(() => null);
        const found = [
          ...assessAppClient(described.UserPoolClient, env),
          ...(pool ? assessRequiredAttributes(pool, described.UserPoolClient) : []),
        ];
        return found.length > 0 ? found : ok('The settings of the app client fit the site.');
      },
    },
    {
      name: 'Domain',
      async run(signal) {
        const described = (await describeDomain(signal))?.DomainDescription;
        if (!described?.UserPoolId) {
          // Another account does not see the domain. Without the permission to read the user pool, nothing is known.
          const isOwnAccount = (await readPool(signal)) !== null;
          return isOwnAccount
            ? problem('domain-not-found', { domain: domainName(domain) })
            : notChecked(OTHER_ACCOUNT);
        }
        return assessDomain(described, env) ?? assessBranding(await describeBranding(signal));
      },
    },
  ];
}

type Domain = {
  UserPoolId?: string | undefined;
  Status?: string | undefined;
  ManagedLoginVersion?: number | undefined;
};

function assessDomain(
  { UserPoolId, Status = 'ACTIVE', ManagedLoginVersion = 1 }: Domain,
  { userPool }: PoolEnv,
): Finding | null {
  const domain = domainName(userPool.domain);
  if (UserPoolId !== userPool.id) return problem('domain-of-other-user-pool', { domain });
  if (Status !== 'ACTIVE') return problem('domain-not-active', { domain, status: Status });
  return ManagedLoginVersion < 2 ? problem('domain-classic-login', {}) : null;
}

function assessBranding(described: { ManagedLoginBranding?: unknown } | null): Finding {
  return described?.ManagedLoginBranding
    ? ok('The domain shows the managed login, and the app client has a branding style.')
    : problem('branding-missing', {});
}

/** The prefix of a domain of Cognito, or the whole name of a custom domain. */
function domainName(origin: string): string {
  return new URL(origin).hostname.replace(/\.auth\.[a-z0-9-]+\.amazoncognito\.com$/, '');
}

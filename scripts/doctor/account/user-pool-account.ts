/** The settings of the app client and of the hosted login's domain, as the account has them. */
import {
  CognitoIdentityProviderClient,
  DescribeManagedLoginBrandingByClientCommand,
  DescribeUserPoolClientCommand,
  DescribeUserPoolDomainCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Env } from '../../../app/server/config/env.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { assessAppClient } from './app-client-settings.ts';
import { callAccount, clientConfig, type OperatorOptions } from './operator-calls.ts';

type PoolEnv = Pick<Env, 'appOrigin' | 'session' | 'userPool'>;

/** The checks of the user pool's settings. */
export function createUserPoolAccountChecks(env: PoolEnv, options: OperatorOptions): Check[] {
  const { id: UserPoolId, clientId: ClientId, region, domain } = env.userPool;
  const client = new CognitoIdentityProviderClient(clientConfig(region, options));

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
    {
      name: 'App client',
      async run(signal) {
        const described = await describeClient(signal);
        if (!described?.UserPoolClient)
          return notChecked('The account of the AWS credentials has no such app client.');
        const found = assessAppClient(described.UserPoolClient, env);
        return found.length > 0 ? found : ok('The settings of the app client fit the site.');
      },
    },
    {
      name: 'Domain',
      async run(signal) {
        const described = (await describeDomain(signal))?.DomainDescription;
        if (!described?.UserPoolId) return problem('domain-not-found', { domain: domainName(domain) });
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

/** Checks that need no service: variables that contradict each other. */
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';

type Variables = Record<string, string | undefined>;

/** The checks of a valid configuration. `variables` are those it was parsed from. */
export function createConfigurationChecks(env: Env, variables: Variables): Check[] {
  return [
    { name: 'Variables', run: async () => ok('All required variables are set and valid.') },
    { name: 'Origin', run: async () => checkOrigin(env) },
    { name: 'User pool', run: async () => checkUserPool(env, variables) },
  ];
}

function checkOrigin({ appOrigin, trustedProxies }: Env): Finding[] {
  const { protocol, hostname } = new URL(appOrigin);
  if (protocol === 'http:') {
    return [
      isLoopback(hostname)
        ? ok(`APP_ORIGIN is ${appOrigin}, for development on this machine.`)
        : problem('origin-not-https', { origin: appOrigin }),
    ];
  }
  return trustedProxies > 0
    ? [ok(`APP_ORIGIN is ${appOrigin}.`)]
    : [problem('proxies-not-trusted', { origin: appOrigin })];
}

function checkUserPool({ userPool }: Env, variables: Variables): Finding[] {
  const { region, id, issuer, domain } = userPool;
  // The domain of a user pool without a custom domain: `{prefix}.auth.{region}.amazoncognito.com`.
  const domainRegion = /\.auth\.([a-z0-9-]+)\.amazoncognito\.com$/.exec(new URL(domain).hostname)?.[1];
  const found = [
    ...(variables.COGNITO_ISSUER && !issuer.endsWith(`/${id}`)
      ? [problem('issuer-of-other-user-pool', {})]
      : []),
    ...(domainRegion !== undefined && domainRegion !== region
      ? [problem('domain-in-other-region', { domainRegion, region })]
      : []),
  ];
  return found.length > 0 ? found : [ok('User pool, issuer and hosted login fit together.')];
}

/** Whether a host name is this machine's own address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

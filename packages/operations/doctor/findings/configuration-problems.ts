/** The problems that can be found without a service: variables that are not valid or contradict each other. */
import type { Problem } from './problem.ts';

export const configurationProblems = {
  'configuration-invalid': {
    severity: 'failure',
    message: 'The site does not start with this configuration. {variable}: {problem}',
    fix: 'Set {variable} in the environment or in the environment file. docs/configuration.md describes every variable.',
  },
  'client-id-is-secret': {
    severity: 'failure',
    message:
      'COGNITO_CLIENT_ID has the form of a client secret. COGNITO_CLIENT_ID and COGNITO_CLIENT_SECRET are probably swapped.',
    fix: 'Set COGNITO_CLIENT_ID to the id of the app client, which has 26 characters, and COGNITO_CLIENT_SECRET to its secret. If the site has run with this configuration, use a new app client: addresses in browsers contained the secret of this one.',
  },
  'origin-not-https': {
    severity: 'failure',
    message:
      'APP_ORIGIN is {origin}. Cognito accepts no callback URL on plain HTTP, and everyone on the network can read the session cookies.',
    fix: 'Serve the site over HTTPS and set APP_ORIGIN to its https address.',
  },
  'proxies-not-trusted': {
    severity: 'warning',
    message:
      'TRUSTED_PROXIES is 0, but a proxy must serve {origin}, because the site itself speaks plain HTTP. All visitors without a session share one rate limit.',
    fix: 'Set TRUSTED_PROXIES to the number of proxies in front of the site that append to X-Forwarded-For.',
  },
  'issuer-of-other-user-pool': {
    severity: 'failure',
    message: 'COGNITO_ISSUER does not end with COGNITO_USER_POOL_ID.',
    fix: 'Set both to the same user pool. Without COGNITO_ISSUER the site uses the issuer of COGNITO_USER_POOL_ID.',
  },
  'domain-in-other-region': {
    severity: 'failure',
    message: 'COGNITO_DOMAIN is in the region {domainRegion}, but the user pool is in {region}.',
    fix: 'Set COGNITO_DOMAIN to the domain of the user pool in COGNITO_USER_POOL_ID.',
  },
} as const satisfies Record<string, Problem>;

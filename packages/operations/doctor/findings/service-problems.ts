/** The problems that can be found with the site's own configuration. */
import type { Problem } from './problem.ts';

export const serviceProblems = {
  'check-unfinished': {
    severity: 'failure',
    message: 'The check did not finish ({reason}).',
    fix: 'Run the command again. `--timeout` gives slow services more time.',
  },
  'service-unreachable': {
    severity: 'failure',
    message: '{service} at {address} cannot be reached ({reason}).',
    fix: 'Check {setting}, and whether this machine can reach that address.',
  },
  'service-timeout': {
    severity: 'failure',
    message: '{service} at {address} did not respond in time.',
    fix: 'Run the command again, with a longer `--timeout` if necessary, and check {setting}.',
  },
  'service-failing': {
    severity: 'failure',
    message: '{service} at {address} responds with status {status}.',
    fix: 'Run the command again. If it happens again, check {setting} and the AWS Health Dashboard.',
  },
  'service-unexpected': {
    severity: 'failure',
    message: '{service} at {address} sends a response that is not {expected}.',
    fix: 'Check {setting}: another server responds at this address.',
  },
  'clock-wrong': {
    severity: 'failure',
    message:
      'The clock of this machine is {seconds} seconds off the clock of {service}. The site compensates at most 15 minutes.',
    fix: 'Synchronize the clock of the machine (NTP), for example with chrony or systemd-timesyncd.',
  },
  'clock-inaccurate': {
    severity: 'warning',
    message: 'The clock of this machine is {seconds} seconds off the clock of {service}.',
    fix: 'Synchronize the clock of the machine (NTP). The site compensates the difference, at the cost of rejected requests.',
  },
  'user-pool-not-found': {
    severity: 'failure',
    message: 'There is no user pool at {issuer}: its signing keys respond with status {status}.',
    fix: 'Set COGNITO_USER_POOL_ID to the id of the user pool, and COGNITO_ISSUER only if its issuer is not the default one.',
  },
  'issuer-mismatch': {
    severity: 'failure',
    message: 'The user pool names another issuer than {issuer}. The site rejects its tokens.',
    fix: 'Set COGNITO_ISSUER={actual}',
  },
  'other-hosted-login': {
    severity: 'warning',
    message: 'The user pool names {actual} as its hosted login, but COGNITO_DOMAIN is {domain}.',
    fix: 'Check that COGNITO_DOMAIN is a domain of this user pool.',
  },
  'client-not-found': {
    severity: 'failure',
    message: 'The app client {client} does not exist in the region {region}.',
    fix: 'Set COGNITO_CLIENT_ID to the id of an app client of the user pool in COGNITO_USER_POOL_ID.',
  },
  'refresh-operation-not-allowed': {
    severity: 'failure',
    message: 'The app client does not allow the refresh operation {operation}. Sessions end after an hour.',
    fix: 'Set COGNITO_REFRESH_OPERATION={other}, or change the refresh token rotation of the app client.',
  },
  'custom-domain-without-dns': {
    severity: 'failure',
    message: 'The name {host} of the hosted login does not exist in DNS.',
    fix: 'Create an alias or CNAME record from {host} to the CloudFront distribution of the domain, or correct COGNITO_DOMAIN.',
  },
  'client-secret-rejected': {
    severity: 'failure',
    message: 'The token endpoint rejects COGNITO_CLIENT_SECRET. Sign-ins fail, and no session is refreshed.',
    fix: 'Set COGNITO_CLIENT_SECRET to the secret of the app client {client}, or remove it if the client has none.',
  },
  'client-secret-missing': {
    severity: 'failure',
    message: 'The token endpoint requires a client secret, but COGNITO_CLIENT_SECRET is not set.',
    fix: 'Set COGNITO_CLIENT_SECRET to the secret of the app client {client}.',
  },
  'callback-url-not-registered': {
    severity: 'failure',
    message: 'The hosted login rejects the callback URL {url}.',
    fix: 'Add {url} to the allowed callback URLs of the app client, or correct APP_ORIGIN.',
  },
  'sign-out-url-not-registered': {
    severity: 'failure',
    message:
      'The hosted login rejects the sign-out URL {url}. Visitors do not return to the site after signing out.',
    fix: 'Add {url}, with its trailing slash, to the allowed sign-out URLs of the app client.',
  },
  'scope-not-allowed': {
    severity: 'failure',
    message: 'The hosted login rejects a scope of {scopes}.',
    fix: 'Allow the scopes {scopes} for the app client.',
  },
  'code-grant-not-allowed': {
    severity: 'failure',
    message: 'The app client does not allow the authorization code grant.',
    fix: 'Allow the OAuth grant type "Authorization code grant" for the app client.',
  },
  'authorization-rejected': {
    severity: 'failure',
    message: 'The hosted login rejects the authorization request of the site ({reason}).',
    fix: 'Check COGNITO_DOMAIN, COGNITO_CLIENT_ID and the managed login settings of the app client.',
  },
  'login-page-unavailable': {
    severity: 'failure',
    message: 'The hosted login shows no sign-in page: {address} responds with status {status}.',
    fix: 'Create a managed login branding style for the app client, and allow an identity provider for it.',
  },
  'identity-pool-not-found': {
    severity: 'failure',
    message: 'The identity pool {pool} does not exist.',
    fix: 'Set COGNITO_IDENTITY_POOL_ID to the id of the identity pool, which starts with its region.',
  },
  'provider-not-accepted': {
    severity: 'failure',
    message:
      'The identity pool does not accept tokens of {provider}. Signed-in visitors get no AWS credentials.',
    fix: 'Add the user pool with the app client {client} to the identity providers of the identity pool.',
  },
  'guests-not-allowed': {
    severity: 'failure',
    message: 'COGNITO_ALLOW_GUESTS is true, but the identity pool gives guests no access.',
    fix: 'Set COGNITO_ALLOW_GUESTS=false, or activate guest access in the identity pool.',
  },
  'guest-credentials-refused': {
    severity: 'failure',
    message: 'The identity pool gives a guest no credentials ({reason}).',
    fix: 'Set a role for guests in the identity pool, whose trust policy names the identity pool, or set COGNITO_ALLOW_GUESTS=false.',
  },
  'graphql-region-mismatch': {
    severity: 'failure',
    message: 'GRAPHQL_ENDPOINT is in the region {endpointRegion}, but the site signs requests for {region}.',
    fix: 'Set GRAPHQL_REGION={endpointRegion}',
  },
  'graphql-endpoint-wrong': {
    severity: 'failure',
    message: '{endpoint} is not the GraphQL endpoint of an AppSync API: it responds with status {status}.',
    fix: 'Set GRAPHQL_ENDPOINT to the GraphQL endpoint of the API, which ends with /graphql.',
  },
  'graphql-invalid-token-accepted': {
    severity: 'failure',
    message: 'The data API executes an operation with an invalid token.',
    fix: 'Remove the authorization modes of the API that accept any caller, and set GRAPHQL_ENDPOINT to an AppSync API.',
  },
  'graphql-region-rejected': {
    severity: 'failure',
    message: 'The data API rejects requests that are signed for the region {region}.',
    fix: 'Set GRAPHQL_REGION to the region of the AppSync API.',
  },
  'graphql-signature-rejected': {
    severity: 'failure',
    message: 'The data API rejects a request signed with credentials of the identity pool ({reason}).',
    fix: 'Check that the identity pool and the AppSync API are in the same AWS partition, and that no proxy changes requests.',
  },
  'graphql-iam-not-enabled': {
    severity: 'failure',
    message: 'The data API does not accept signed requests, but GRAPHQL_AUTH_MODE is iam.',
    fix: 'Add the authorization mode AWS_IAM to the AppSync API, or set GRAPHQL_AUTH_MODE=userPool.',
  },
  'member-sign-in-failed': {
    severity: 'failure',
    message: 'The user pool rejects the sign-in of the test member ({reason}).',
    fix: 'Check --member and DOCTOR_MEMBER_PASSWORD, whether the member is confirmed, and whether the app client allows ALLOW_USER_SRP_AUTH.',
  },
  'member-credentials-refused': {
    severity: 'failure',
    message: 'The identity pool gives the test member no credentials ({reason}).',
    fix: 'Check the identity provider of the identity pool, and the trust policy of its role for signed-in visitors.',
  },
  'member-call-failed': {
    severity: 'failure',
    message: 'The operation {operation} of the test member fails ({reason}).',
    fix: 'Check the permissions of the role for signed-in visitors, and the resolver, its data source and the role of that. With AWS credentials, the doctor checks all of them.',
  },
  'member-message-not-listed': {
    severity: 'failure',
    message: 'A message of the test member is missing in the list, or does not count as its own.',
    fix: 'Deploy the resolvers of infra/resolvers: npm run aws:deploy.',
  },
  'introspection-enabled': {
    severity: 'warning',
    message: 'The data API answers introspection queries.',
    fix: 'Set the introspection of the AppSync API to DISABLED.',
  },
  'store-unreachable': {
    severity: 'failure',
    message:
      'The shared store in REDIS_URL cannot be reached ({reason}). Each machine uses its in-memory store.',
    fix: 'Check host and port in REDIS_URL, and whether this machine can reach the server.',
  },
  'store-login-rejected': {
    severity: 'failure',
    message: 'The shared store rejects the user name or password in REDIS_URL ({reason}).',
    fix: 'Set REDIS_URL to redis://USER:PASSWORD@HOST:PORT with the right user name and password.',
  },
  'store-tls-mismatch': {
    severity: 'failure',
    message: 'The shared store and REDIS_URL disagree about TLS ({reason}).',
    fix: 'Use rediss:// for a server with TLS and a valid certificate, and redis:// for a server without TLS.',
  },
  'store-too-old': {
    severity: 'failure',
    message: 'The shared store is older than Redis 6: it does not know a command of the client (HELLO).',
    fix: 'Update the server to Redis 6 or later, or to Valkey.',
  },
  'store-read-only': {
    severity: 'failure',
    message: 'REDIS_URL leads to a replica, which accepts no writes.',
    fix: 'Set REDIS_URL to the primary server.',
  },
  'store-evicts-keys': {
    severity: 'warning',
    message:
      'The shared store deletes keys when its memory is full (maxmemory-policy {policy}), also those of closed sessions.',
    fix: 'Set maxmemory-policy to noeviction, and maxmemory high enough. All keys of the site expire.',
  },
  'store-not-encrypted': {
    severity: 'warning',
    message: 'REDIS_URL uses a connection without TLS to {host}.',
    fix: 'Use rediss:// unless the network between the machines is private.',
  },
  'site-certificate-invalid': {
    severity: 'failure',
    message: 'The certificate of {origin} is not valid ({reason}).',
    fix: 'Install a certificate for this host name, with its intermediate certificates, at the proxy.',
  },
  'other-server-at-origin': {
    severity: 'failure',
    message: 'Another server than this site responds at {origin} (status {status} for /healthz).',
    fix: 'Correct APP_ORIGIN, or route all paths of this host to the site.',
  },
  'host-not-passed': {
    severity: 'failure',
    message: 'The site rejects requests to {origin} because of another Host header (status 421).',
    fix: 'Configure the proxy to pass the Host header unchanged, and set APP_ORIGIN of the running site to {origin}.',
  },
  'running-site-differs': {
    severity: 'failure',
    message: 'The site at {origin} runs with another value of {variables} than this configuration.',
    fix: 'Deploy the configuration and restart the site, or check the environment file of the running site.',
  },
  'proxy-changes-responses': {
    severity: 'failure',
    message: 'A proxy in front of {origin} changes responses: {change}.',
    fix: 'Configure the proxy to pass paths and the headers Cache-Control, Location and Set-Cookie unchanged.',
  },
} as const satisfies Record<string, Problem>;

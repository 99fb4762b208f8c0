/** The problems that can be found with the credentials of an operator of the AWS account. */
import type { Problem } from './problem.ts';

export const accountProblems = {
  'client-secret-differs': {
    severity: 'failure',
    message: 'COGNITO_CLIENT_SECRET is not the secret of the app client {client}.',
    fix: 'Set COGNITO_CLIENT_SECRET to the value that `aws cognito-idp describe-user-pool-client` shows.',
  },
  'client-callback-url-missing': {
    severity: 'failure',
    message: 'The app client does not allow the callback URL {url}.',
    fix: 'Add {url} to CallbackURLs of the app client, or correct APP_ORIGIN.',
  },
  'client-sign-out-url-missing': {
    severity: 'failure',
    message: 'The app client does not allow the sign-out URL {url}.',
    fix: 'Add {url}, with its trailing slash, to LogoutURLs of the app client.',
  },
  'client-code-grant-missing': {
    severity: 'failure',
    message: 'The app client does not allow the authorization code grant.',
    fix: 'Set AllowedOAuthFlowsUserPoolClient to true and AllowedOAuthFlows to code.',
  },
  'client-implicit-grant': {
    severity: 'warning',
    message:
      'The app client allows the implicit grant, which the site does not use and which exposes tokens.',
    fix: 'Remove implicit from AllowedOAuthFlows of the app client.',
  },
  'client-scopes-missing': {
    severity: 'failure',
    message: 'The app client does not allow the scopes {scopes}.',
    fix: 'Add {scopes} to AllowedOAuthScopes of the app client.',
  },
  'client-providers-missing': {
    severity: 'failure',
    message: 'The app client has no identity provider, so that the hosted login shows no sign-in form.',
    fix: 'Add COGNITO to SupportedIdentityProviders of the app client.',
  },
  'client-refresh-operation': {
    severity: 'failure',
    message: 'COGNITO_REFRESH_OPERATION is {operation}, which this app client does not allow.',
    fix: 'Set COGNITO_REFRESH_OPERATION=GetTokensFromRefreshToken',
  },
  'client-rotation-off': {
    severity: 'warning',
    message:
      'The app client does not rotate refresh tokens. A stolen refresh token stays valid until it expires.',
    fix: 'Enable RefreshTokenRotation with a RetryGracePeriodSeconds of 60, and ALLOW_USER_SRP_AUTH as the only auth flow.',
  },
  'client-rotation-grace': {
    severity: 'warning',
    message:
      'A rotated refresh token stays valid for {seconds} seconds only. A visitor whose new cookie is lost on the way is signed out.',
    fix: 'Set RetryGracePeriodSeconds of RefreshTokenRotation to 60.',
  },
  'client-refresh-validity': {
    severity: 'warning',
    message:
      'Refresh tokens are valid for {days} days, but sessions may last {sessionDays}. The shorter time ends a session.',
    fix: 'Set RefreshTokenValidity to {sessionDays} days, or SESSION_MAX_DAYS={days}.',
  },
  'client-token-validity': {
    severity: 'warning',
    message:
      '{token} tokens are valid for {minutes} minutes. The data API accepts them that long after a sign-out.',
    fix: 'Set {token}TokenValidity to 60 minutes.',
  },
  'client-revocation-off': {
    severity: 'failure',
    message:
      'The app client does not allow the revocation of tokens. A sign-out leaves the refresh token valid.',
    fix: 'Set EnableTokenRevocation of the app client to true.',
  },
  'client-reveals-users': {
    severity: 'warning',
    message: 'The app client reveals whether an email address has an account.',
    fix: 'Set PreventUserExistenceErrors of the app client to ENABLED.',
  },
  'client-read-attributes': {
    severity: 'failure',
    message: 'The app client may not read {attributes}. Cognito then rejects sign-ins with invalid_grant.',
    fix: 'Leave ReadAttributes of the app client unset, or add {attributes}.',
  },
  'domain-not-found': {
    severity: 'failure',
    message: 'The account has no hosted login with the domain {domain}.',
    fix: 'Create the domain for the user pool, or set COGNITO_DOMAIN to its domain.',
  },
  'domain-of-other-user-pool': {
    severity: 'failure',
    message: 'The domain {domain} belongs to another user pool.',
    fix: 'Set COGNITO_DOMAIN to the domain of the user pool in COGNITO_USER_POOL_ID.',
  },
  'domain-not-active': {
    severity: 'failure',
    message: 'The domain {domain} is not active yet (status {status}).',
    fix: 'Wait until its status is ACTIVE. A custom domain also needs its certificate and DNS record.',
  },
  'domain-classic-login': {
    severity: 'warning',
    message: 'The domain uses the classic hosted UI, which is in English only.',
    fix: 'Set ManagedLoginVersion of the domain to 2, and create a branding style for the app client.',
  },
  'branding-missing': {
    severity: 'failure',
    message: 'The app client has no managed login branding style, so that the hosted login has no pages.',
    fix: 'Create a branding style for the app client, for example with UseCognitoProvidedValues.',
  },
  'pool-guests-not-allowed': {
    severity: 'failure',
    message:
      'COGNITO_ALLOW_GUESTS is true, but AllowUnauthenticatedIdentities of the identity pool is false.',
    fix: 'Set COGNITO_ALLOW_GUESTS=false, or AllowUnauthenticatedIdentities to true.',
  },
  'pool-guests-unused': {
    severity: 'warning',
    message: 'The identity pool allows guests, but COGNITO_ALLOW_GUESTS is false.',
    fix: 'Set AllowUnauthenticatedIdentities of the identity pool to false.',
  },
  'pool-provider-missing': {
    severity: 'failure',
    message: 'The identity pool does not name the app client {client} of {provider} as an identity provider.',
    fix: 'Add {provider} with this client to CognitoIdentityProviders of the identity pool.',
  },
  'pool-token-check-off': {
    severity: 'warning',
    message: 'The identity pool gives credentials to users who were deleted or signed out everywhere.',
    fix: 'Set ServerSideTokenCheck of the identity provider to true.',
  },
  'pool-classic-flow': {
    severity: 'warning',
    message: 'The identity pool allows the classic flow, which skips its restrictions on credentials.',
    fix: 'Set AllowClassicFlow of the identity pool to false.',
  },
  'pool-member-role-missing': {
    severity: 'failure',
    message: 'The identity pool has no role for signed-in visitors.',
    fix: 'Set the authenticated role of the identity pool.',
  },
  'pool-guest-role-missing': {
    severity: 'failure',
    message: 'The identity pool allows guests but has no role for them.',
    fix: 'Set the unauthenticated role of the identity pool, or set COGNITO_ALLOW_GUESTS=false.',
  },
  'api-auth-mode-missing': {
    severity: 'failure',
    message:
      'The AppSync API does not have the authorization mode {mode}, which GRAPHQL_AUTH_MODE={setting} needs.',
    fix: 'Add the authorization mode {mode} to the API, or change GRAPHQL_AUTH_MODE.',
  },
  'api-of-other-user-pool': {
    severity: 'failure',
    message: 'The AppSync API accepts tokens of another user pool than COGNITO_USER_POOL_ID.',
    fix: 'Set the user pool of the API, or correct COGNITO_USER_POOL_ID or GRAPHQL_ENDPOINT.',
  },
  'api-rejects-client': {
    severity: 'failure',
    message: 'AppIdClientRegex of the AppSync API does not match the app client {client}.',
    fix: 'Set AppIdClientRegex of the API to {client}.',
  },
  'api-key-enabled': {
    severity: 'warning',
    message: 'The AppSync API accepts API keys, which the site does not use.',
    fix: 'Remove the authorization mode API_KEY from the API.',
  },
  'api-introspection-enabled': {
    severity: 'warning',
    message: 'The AppSync API answers introspection queries.',
    fix: 'Set IntrospectionConfig of the API to DISABLED.',
  },
  'schema-differs': {
    severity: 'failure',
    message: 'The deployed schema differs from schema.graphql: {difference}.',
    fix: 'Deploy schema.graphql, or check GRAPHQL_ENDPOINT.',
  },
  'member-permission-missing': {
    severity: 'failure',
    message: 'The role of signed-in visitors may not call {fields}.',
    fix: 'Allow appsync:GraphQL on these fields in the policy of the role {role}.',
  },
  'guest-permission': {
    severity: 'warning',
    message: 'The role of guests may call {fields}.',
    fix: 'Remove appsync:GraphQL from the policy of the role {role}.',
  },
} as const satisfies Record<string, Problem>;

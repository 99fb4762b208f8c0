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
  'sign-up-disabled': {
    severity: 'warning',
    message: 'Nobody can sign up: only administrators of the user pool create accounts.',
    fix: 'Set AllowAdminCreateUserOnly of AdminCreateUserConfig to false, unless the site is for invited members.',
  },
  'pool-without-email-sign-in': {
    severity: 'failure',
    message: 'Members cannot sign in with their email address.',
    fix: 'Create a user pool with email in UsernameAttributes. This cannot be changed later.',
  },
  'pool-email-not-verified': {
    severity: 'failure',
    message:
      'The user pool does not verify email addresses. New accounts stay unconfirmed, and a forgotten password cannot be reset.',
    fix: 'Add email to AutoVerifiedAttributes of the user pool.',
  },
  'pool-recovery-off': {
    severity: 'failure',
    message: 'A forgotten password cannot be reset by email.',
    fix: 'Add verified_email to AccountRecoverySetting of the user pool.',
  },
  'pool-case-sensitive': {
    severity: 'warning',
    message:
      'User names are case-sensitive: Ann@example.com cannot sign in as ann@example.com, and can sign up a second time.',
    fix: 'Create a user pool with CaseSensitive false in UsernameConfiguration. This cannot be changed later.',
  },
  'pool-feature-plan': {
    severity: 'failure',
    message: 'The user pool has the feature plan Lite, without managed login and refresh token rotation.',
    fix: 'Set UserPoolTier of the user pool to ESSENTIALS.',
  },
  'pool-deletion-protection-off': {
    severity: 'warning',
    message: 'AWS does not refuse to delete the user pool with all accounts.',
    fix: 'Set DeletionProtection of the user pool to ACTIVE.',
  },
  'email-daily-limit': {
    severity: 'warning',
    message:
      'Cognito sends the mails with codes itself: about 50 a day for the whole AWS account. When they are used up, visitors can sign up or reset a password again on the next day.',
    fix: 'Send through SES: npm run aws:deploy -- --email-identity, or EmailConfiguration of the user pool.',
  },
  'ses-identity-not-verified': {
    severity: 'failure',
    message: 'SES does not send from the identity {name} in {region}: it is not verified or does not exist.',
    fix: 'Verify {name} in SES in the region {region}.',
  },
  'ses-sandbox': {
    severity: 'failure',
    message: 'SES is in its sandbox in {region}: only verified addresses get codes.',
    fix: 'Request production access for SES in the region {region}.',
  },
  'ses-sending-paused': {
    severity: 'failure',
    message: 'SES does not send in {region}: sending is paused for the AWS account.',
    fix: 'Look at the reputation dashboard of SES in the region {region}, and resume sending.',
  },
  'ses-quota-used-up': {
    severity: 'failure',
    message: 'The {limit} mails that SES sends in 24 hours in {region} are used up.',
    fix: 'Ask for a higher sending quota of SES, and look for a bot that signs up.',
  },
  'trigger-not-callable': {
    severity: 'failure',
    message:
      'The user pool calls the function {name} at {trigger}, but the function does not exist or does not permit it. What it belongs to fails: a sign-up, a sign-in or a refresh.',
    fix: 'Permit lambda:InvokeFunction for cognito-idp.amazonaws.com on {name}, or remove the trigger {trigger}.',
  },
  'client-write-attributes': {
    severity: 'failure',
    message: 'A sign-up must fill in {attributes}, which the app client may not write.',
    fix: 'Leave WriteAttributes of the app client unset, or add {attributes}.',
  },
  'pool-role-mappings': {
    severity: 'warning',
    message:
      'The identity pool maps roles. Members of a group with a role get that role instead of the one for signed-in visitors, or none.',
    fix: 'Remove the role mappings of the identity pool, or give these roles the same permissions in the API.',
  },
  'role-trusts-other-pool': {
    severity: 'failure',
    message: 'The role {role} does not trust the identity pool {pool}, so its visitors get no credentials.',
    fix: 'Set cognito-identity.amazonaws.com:aud in the trust policy of the role {role} to {pool}.',
  },
  'role-trusts-other-visitors': {
    severity: 'failure',
    message: 'The trust policy of the role {role} is not for {visitors} visitors.',
    fix: 'Set cognito-identity.amazonaws.com:amr in the trust policy of the role {role} to {visitors}.',
  },
  'api-denies-members': {
    severity: 'failure',
    message:
      'The default action of the AppSync API is DENY: fields without a list of groups reject every token.',
    fix: 'Set DefaultAction of the user pool settings of the API to ALLOW.',
  },
  'api-private': {
    severity: 'warning',
    message: 'The AppSync API is private: it can be reached only from a network with its VPC endpoint.',
    fix: 'Run the site in that network, or create the API again with the visibility GLOBAL.',
  },
  'resolver-missing': {
    severity: 'failure',
    message: 'The API has no resolver for {fields}, which are therefore always null.',
    fix: 'Deploy the resolvers: npm run aws:deploy.',
  },
  'data-source-role-missing': {
    severity: 'failure',
    message: 'The role {role} of the data source does not exist.',
    fix: 'Deploy the role again, or set the service role of the data source.',
  },
  'data-source-role-not-assumable': {
    severity: 'failure',
    message: 'The trust policy of the role {role} does not allow this API to use it.',
    fix: 'Allow sts:AssumeRole for appsync.amazonaws.com in the trust policy of the role {role}, with the ARN of this API in aws:SourceArn.',
  },
  'data-source-permission-missing': {
    severity: 'failure',
    message: 'The role {role} of the data source may not do {actions} in the table {table}.',
    fix: 'Allow these actions on the table and on its indexes in the policy of the role {role}.',
  },
  'table-missing': {
    severity: 'failure',
    message: 'The table {table} of the data source does not exist in {region}.',
    fix: 'Restore the table, or set the table and the region of the data source.',
  },
  'table-not-active': {
    severity: 'failure',
    message: 'The table {table} has the status {status}.',
    fix: 'Wait until its status is ACTIVE. INACCESSIBLE_ENCRYPTION_CREDENTIALS means that its KMS key cannot be used.',
  },
  'table-index-missing': {
    severity: 'failure',
    message: 'The table {table} has no index {indexes}, which resolvers read.',
    fix: 'Deploy the table of infra/template.yaml.',
  },
  'table-recovery-off': {
    severity: 'warning',
    message: 'The messages of the table {table} cannot be restored: point-in-time recovery is off.',
    fix: 'Set PointInTimeRecoveryEnabled of the table to true.',
  },
  'table-deletion-protection-off': {
    severity: 'warning',
    message: 'AWS does not refuse to delete the table {table}.',
    fix: 'Set DeletionProtectionEnabled of the table to true.',
  },
} as const satisfies Record<string, Problem>;

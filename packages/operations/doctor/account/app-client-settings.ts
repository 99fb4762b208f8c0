/** Assesses the settings of the app client. Pure: the caller fetches them. */
import type { UserPoolClientType } from '@aws-sdk/client-cognito-identity-provider';
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, problem } from '../findings/finding.ts';

type ClientEnv = Pick<Env, 'appOrigin' | 'session' | 'userPool'>;
type Assessment = (client: UserPoolClientType, env: ClientEnv) => (Finding | false)[];

const SCOPES = ['openid', 'email', 'profile'];
const DAY = 24 * 60 * 60;
const HOUR = 60 * 60;
const UNITS: Record<string, number> = { seconds: 1, minutes: 60, hours: HOUR, days: DAY };
const MIN_GRACE_SECONDS = 30;

/** The attributes that the scopes `email` and `profile` stand for (OpenID Connect Core section 5.4). */
const SCOPE_ATTRIBUTES = [
  'email',
  'email_verified',
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'updated_at',
];

/**
 * Returns the problems of an app client.
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_UserPoolClientType.html
 */
export function assessAppClient(client: UserPoolClientType, env: ClientEnv): Finding[] {
  const assessments = [assessAddresses, assessGrants, assessRotation, assessLifetimes, assessProtection];
  return assessments.flatMap((assess) => assess(client, env)).filter((finding) => finding !== false);
}

const assessAddresses: Assessment = ({ CallbackURLs = [], LogoutURLs = [] }, { appOrigin }) => {
  const callback = `${appOrigin}/auth/callback`;
  const signOut = `${appOrigin}/`;
  return [
    !CallbackURLs.includes(callback) && problem('client-callback-url-missing', { url: callback }),
    !LogoutURLs.includes(signOut) && problem('client-sign-out-url-missing', { url: signOut }),
  ];
};

const assessGrants: Assessment = (client, { userPool }) => {
  const flows = client.AllowedOAuthFlows ?? [];
  const hasCode = client.AllowedOAuthFlowsUserPoolClient === true && flows.includes('code');
  const missing = SCOPES.filter((scope) => !client.AllowedOAuthScopes?.includes(scope));
  return [
    (client.ClientSecret ?? null) !== userPool.clientSecret &&
      problem('client-secret-differs', { client: userPool.clientId }),
    !hasCode && problem('client-code-grant-missing', {}),
    flows.includes('implicit') && problem('client-implicit-grant', {}),
    missing.length > 0 && problem('client-scopes-missing', { scopes: missing.join(' ') }),
    !client.SupportedIdentityProviders?.length && problem('client-providers-missing', {}),
  ];
};

const assessRotation: Assessment = (
  { RefreshTokenRotation: rotation, ExplicitAuthFlows = [] },
  { userPool },
) => {
  const rotates = rotation?.Feature === 'ENABLED';
  const operation = userPool.refreshOperation;
  const seconds = rotation?.RetryGracePeriodSeconds ?? 0;
  const allowsInitiateAuth = !rotates && ExplicitAuthFlows.includes('ALLOW_REFRESH_TOKEN_AUTH');
  return [
    operation === 'InitiateAuth' && !allowsInitiateAuth && problem('client-refresh-operation', { operation }),
    !rotates && problem('client-rotation-off', {}),
    rotates && seconds < MIN_GRACE_SECONDS && problem('client-rotation-grace', { seconds }),
  ];
};

const assessLifetimes: Assessment = (client, { session }) => {
  const units = client.TokenValidityUnits;
  const seconds = (value: number | undefined, unit: string | undefined, fallback: number) =>
    value ? value * (UNITS[unit ?? ''] ?? fallback) : null;
  const refresh = seconds(client.RefreshTokenValidity, units?.RefreshToken, DAY) ?? 30 * DAY;
  const access = seconds(client.AccessTokenValidity, units?.AccessToken, HOUR) ?? HOUR;
  const id = seconds(client.IdTokenValidity, units?.IdToken, HOUR) ?? HOUR;
  const tooLong = (token: string, validity: number) =>
    validity > HOUR && problem('client-token-validity', { token, minutes: validity / 60 });
  const days = Math.floor(refresh / DAY);
  const sessionDays = Math.ceil(session.maxAge / DAY);
  return [
    refresh < session.maxAge && problem('client-refresh-validity', { days, sessionDays }),
    tooLong('Access', access),
    tooLong('Id', id),
  ];
};

const assessProtection: Assessment = (client) => {
  const readable = client.ReadAttributes ?? [];
  const unreadable =
    readable.length > 0 ? SCOPE_ATTRIBUTES.filter((attribute) => !readable.includes(attribute)) : [];
  return [
    client.EnableTokenRevocation === false && problem('client-revocation-off', {}),
    client.PreventUserExistenceErrors !== 'ENABLED' && problem('client-reveals-users', {}),
    unreadable.length > 0 && problem('client-read-attributes', { attributes: unreadable.join(', ') }),
  ];
};

import { OAuth2RequestError } from 'remix-auth-oauth2';
import { SignInError, type SignInErrorCode } from '../user-pool/sign-in-error.ts';

/** How long an authorization code is valid (AWS, "Authorize endpoint"). */
const CODE_LIFETIME_MS = 5 * 60 * 1000;

/** RFC 6749 section 4.1.2.1. Every other code means `refused`. */
const ERROR_CODES = new Map<string, SignInErrorCode>([
  ['access_denied', 'cancelled'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/** What the operator can do about errors of the configuration, by the error code of the hosted login. */
const FIXES = new Map([
  ['invalid_scope', 'Allow the scopes openid, email and profile in the app client COGNITO_CLIENT_ID.'],
  ['unauthorized_client', 'Allow the authorization code grant in the app client COGNITO_CLIENT_ID.'],
  [
    'invalid_client',
    'Set COGNITO_CLIENT_ID and COGNITO_CLIENT_SECRET to an app client of the user pool and its secret.',
  ],
  [
    'invalid_grant',
    'If this happens to every sign-in, let the app client COGNITO_CLIENT_ID read the attributes of its scopes. Without a list of readable attributes it reads all.',
  ],
]);

/**
 * Returns why an attempt failed that is `ageMs` milliseconds old. `error` is what the authenticator, or the start of the
 * session, rejected with.
 */
export function toSignInError(error: unknown, ageMs: number): SignInError {
  if (error instanceof SignInError) return error;
  if (!(error instanceof OAuth2RequestError)) {
    return new SignInError('unavailable', 'the code could not be exchanged for tokens', error);
  }
  // Only an error in the redirect back to the site has a `state` (RFC 6749 sections 4.1.2.1 and 5.2).
  return error.state === null ? rejectedCode(error, ageMs) : returnedError(error);
}

function returnedError(error: OAuth2RequestError): SignInError {
  const code = ERROR_CODES.get(error.code) ?? 'refused';
  return new SignInError(code, 'the hosted login returned an error', error, FIXES.get(error.code));
}

/**
 * While the attempt is younger than the lifetime of a code, its code cannot have expired. The token endpoint then rejects
 * it because it was used before, or because the app client may not read an attribute of a scope: both are
 * `invalid_grant`.
 */
function rejectedCode(error: OAuth2RequestError, ageMs: number): SignInError {
  const isExpired = error.code === 'invalid_grant' && ageMs >= CODE_LIFETIME_MS;
  const message = 'the token endpoint rejected the code';
  return isExpired
    ? new SignInError('expired', message, error)
    : new SignInError('unavailable', message, error, FIXES.get(error.code));
}

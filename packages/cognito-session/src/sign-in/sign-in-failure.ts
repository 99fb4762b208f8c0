import { OAuth2RequestError } from 'remix-auth-oauth2';
import type { Log } from '#upstream';
import { SignInError, type SignInErrorCode } from '../user-pool/sign-in-error.ts';

/** How long an authorization code is valid (AWS, "Authorize endpoint"). */
const CODE_LIFETIME_MS = 5 * 60 * 1000;

/** RFC 6749 section 4.1.2.1. Every other code means `refused`. */
const ERROR_CODES = new Map<string, SignInErrorCode>([
  ['access_denied', 'cancelled'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

const INVALID_GRANT = 'invalid_grant';

/** What the operator can do about errors of the configuration, by the error code of the hosted login. It names options. */
const FIXES = new Map([
  [
    'invalid_scope',
    'Allow the scopes openid, email and profile in the app client `userPool.clientId`, and aws.cognito.signin.user.admin if the app asks for fresh sign-ins.',
  ],
  ['unauthorized_client', 'Allow the authorization code grant in the app client `userPool.clientId`.'],
  [
    'invalid_client',
    'Set `userPool.clientId` and `userPool.clientSecret` to an app client of the user pool and its secret.',
  ],
  [
    INVALID_GRANT,
    'If this happens to every sign-in, let the app client `userPool.clientId` read the attributes of its scopes. Without a list of readable attributes it reads all.',
  ],
]);

/**
 * Returns why an attempt failed that is `ageMs` milliseconds old. `error` is what the authenticator, or the start of the
 * session, rejected with. `isRepeated`: the token endpoint has rejected codes since the last success.
 */
export function toSignInError(error: unknown, ageMs: number, isRepeated: boolean): SignInError {
  if (error instanceof SignInError) return error;
  if (!(error instanceof OAuth2RequestError)) {
    return new SignInError('unavailable', 'the code could not be exchanged for tokens', error);
  }
  // Only an error in the redirect back to the site has a `state` (RFC 6749 sections 4.1.2.1 and 5.2).
  return error.state === null ? rejectedCode(error, ageMs, isRepeated) : returnedError(error);
}

/** Whether the token endpoint rejected a code, and not the app client. */
export function isCodeRejected(error: unknown): boolean {
  return error instanceof OAuth2RequestError && error.state === null && error.code === INVALID_GRANT;
}

/** Logs a failed sign-in. It is an error if the operator can do something. */
export function logSignInFailure(log: Log, err: SignInError): void {
  if (err.fix === null) log.warn({ err }, 'sign-in failed');
  else log.error({ err, fix: err.fix }, 'configuration error');
}

function returnedError(error: OAuth2RequestError): SignInError {
  const code = ERROR_CODES.get(error.code) ?? 'refused';
  return new SignInError(code, 'the hosted login returned an error', error, FIXES.get(error.code));
}

/**
 * While the attempt is younger than the lifetime of a code, its code cannot have expired. The token endpoint then rejects
 * it because it was made up or used before, which a visitor can cause, or because the app client may not read an
 * attribute of a scope, which is the same for every visitor: all are `invalid_grant`.
 */
function rejectedCode(error: OAuth2RequestError, ageMs: number, isRepeated: boolean): SignInError {
  const message = 'the token endpoint rejected the code';
  if (!isCodeRejected(error)) return new SignInError('unavailable', message, error, FIXES.get(error.code));
  if (ageMs >= CODE_LIFETIME_MS) return new SignInError('expired', message, error);
  return new SignInError('unavailable', message, error, isRepeated ? FIXES.get(error.code) : null);
}

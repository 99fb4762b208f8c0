/**
 * Distinguishes rejected refresh tokens from a wrong configuration. Cognito uses `NotAuthorizedException` for both, and
 * documents none of its messages.
 */
import { ConfigurationError, UpstreamError } from '#upstream';

/**
 * The error codes for a refresh token that can no longer be used, or for a user whom a trigger of the user pool refuses:
 * Cognito answers with `UserLambdaValidationException` when the function throws, and with `UnexpectedLambdaException` or
 * `InvalidLambdaResponseException` when it does not run or responds badly. Every other failure may be temporary.
 */
const DEFINITE_REJECTIONS = [
  'NotAuthorizedException',
  'TokenRevokedException',
  'UserNotFoundException',
  'PasswordResetRequiredException',
  'UserNotConfirmedException',
  'RefreshTokenReuseException',
  'UserLambdaValidationException',
];

/** Messages of `NotAuthorizedException` that concern only the token. */
const TOKEN_HAS_ENDED = /^Refresh Token has (expired|been revoked)/;

/** The error codes for a rejected app client. `NotAuthorizedException` has other meanings too. */
const CLIENT_REJECTION_CODES = ['NotAuthorizedException', 'InvalidParameterException'];

/** Messages about the app client: its secret, or a refresh operation that it does not allow. */
const CLIENT_REJECTED =
  /secret ?hash|\bsecret\b.*\b(?:was|is) (?:not )?received|flow not enabled for this client|rotation/i;

const FIX =
  'Set `userPool.clientId` and `userPool.clientSecret` to an app client of the user pool and its secret, and `userPool.refreshOperation` to an operation that this client allows.';

/** Returns whether an error means that the user pool has ended the session, and not that it fails or is unreachable. */
export function isRefreshTokenRejected(error: unknown): boolean {
  return error instanceof UpstreamError && DEFINITE_REJECTIONS.includes(error.code);
}

/**
 * Returns the error to report for a failed refresh: a `ConfigurationError` if the user pool rejected the app client,
 * else the error itself. `isClientAccepted` is called if the error leaves that open. Rejects when it does.
 */
export async function explainRefreshFailure(
  error: unknown,
  isClientAccepted: () => Promise<boolean>,
): Promise<unknown> {
  if (!(error instanceof UpstreamError)) return error;
  const { code, message } = error;
  const isAboutClient = CLIENT_REJECTION_CODES.includes(code) && CLIENT_REJECTED.test(message);
  if (isAboutClient || code === 'ResourceNotFoundException') return clientRejected(error);
  if (code !== 'NotAuthorizedException' || TOKEN_HAS_ENDED.test(message)) return error;
  return (await isClientAccepted()) ? error : clientRejected(error);
}

function clientRejected(cause: UpstreamError): ConfigurationError {
  const { service, details } = cause;
  const problem = 'the user pool rejected the app client';
  return new ConfigurationError(service, 'AppClientRejected', problem, FIX, { ...details, cause });
}

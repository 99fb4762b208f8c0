/** Why a sign-in failed. `public/locales/{locale}/common.json` has a message for each code under `signInError`. */
export const signInErrorCodes = [
  'cancelled',
  'refused',
  'expired',
  'invalid-callback',
  'invalid-token',
  'unavailable',
] as const;
export type SignInErrorCode = (typeof signInErrorCodes)[number];

/** A sign-in that failed: canceled, refused, expired, or proven by no valid token. `message` is for the log only. */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  constructor(
    readonly code: SignInErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Why a sign-in failed. `public/locales/{locale}/server.json` has a message for each code under `signInError`. */
export const signInErrorCodes = [
  'cancelled',
  'refused',
  'expired',
  'invalid-callback',
  'invalid-token',
  'unavailable',
] as const;
export type SignInErrorCode = (typeof signInErrorCodes)[number];

/** A failed sign-in: canceled, refused, expired, or without a valid token. `message` is for the log only. */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  constructor(
    readonly code: SignInErrorCode,
    message: string,
    cause?: unknown,
    /** What the operator can do, if the configuration makes the sign-in fail. */
    readonly fix: string | null = null,
  ) {
    super(message, { cause });
  }
}

/** Why a sign-in failed. */
export const signInErrorCodes = [
  'cancelled',
  'refused',
  'expired',
  'invalid-callback',
  'invalid-token',
  'unavailable',
  'other-user',
  'not-confirmed',
] as const;
export type SignInErrorCode = (typeof signInErrorCodes)[number];

/**
 * A failed sign-in: canceled, refused, expired, or without a valid token. `other-user` and `not-confirmed` are about a fresh
 * sign-in for an action: by another user, or by a sign-in from before. `message` is for the log only.
 */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  constructor(
    readonly code: SignInErrorCode,
    message: string,
    cause?: unknown,
    /** What the operator can do, if the configuration makes the sign-in fail. */
    readonly fix: string | null = null,
    /** The path to which the visitor wanted to return. Null: the request belongs to no attempt of the browser. */
    readonly returnTo: string | null = null,
    /** The action of a fresh sign-in. Null for the sign-in that starts a session. */
    readonly action: string | null = null,
  ) {
    super(message, { cause });
  }
}

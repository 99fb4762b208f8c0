/** Why an operation on the visitor's own account failed. */
export const accountErrorCodes = [
  'wrong-password',
  'password-policy',
  'password-reused',
  'limit-exceeded',
  'invalid',
  'expired',
  'unavailable',
] as const;
export type AccountErrorCode = (typeof accountErrorCodes)[number];

/**
 * A failed operation on an account. `expired`: the fresh sign-in no longer counts. `invalid`: Cognito does not accept the
 * value. `limit-exceeded`: too many attempts. `message` is the code, and `cause` is for the log only.
 */
export class AccountError extends Error {
  override readonly name = 'AccountError';

  constructor(
    readonly code: AccountErrorCode,
    cause?: unknown,
  ) {
    super(code, { cause });
  }
}

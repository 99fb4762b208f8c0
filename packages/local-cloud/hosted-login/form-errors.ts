import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../user-pool/passwords.ts';
import { type CodePurpose, isEmail, normalizeEmail } from '../user-pool/users.ts';
import type { PageContext } from './page-context.ts';

export type FieldName = 'email' | 'password' | 'code';

/** An error of a submitted form. `field` is null when the error concerns the whole form. */
export type FormError = { field: FieldName | null; message: string };

/** Returns an error when the submitted email address is not valid. */
export function checkEmail({ field, t }: PageContext): FormError | null {
  return isEmail(field('email').trim()) ? null : { field: 'email', message: t('emailInvalid') };
}

/** Returns an error when the submitted password is empty. */
export function checkCurrentPassword({ field, t }: PageContext): FormError | null {
  return field('password') === '' ? { field: 'password', message: t('passwordMissing') } : null;
}

/** Returns an error when the new password is too short or too long. The length is counted in code points. */
export function checkNewPassword({ field, t }: PageContext): FormError | null {
  const { length } = [...field('password')];
  if (length < MIN_PASSWORD_LENGTH) {
    return { field: 'password', message: t('passwordTooShort', { count: MIN_PASSWORD_LENGTH }) };
  }
  return length > MAX_PASSWORD_LENGTH
    ? { field: 'password', message: t('passwordTooLong', { count: MAX_PASSWORD_LENGTH }) }
    : null;
}

/** Returns an error when the submitted code does not have six digits. */
export function checkCode({ field, t }: PageContext): FormError | null {
  return /^\d{6}$/.test(field('code').replace(/\s/g, ''))
    ? null
    : { field: 'code', message: t('codeInvalid') };
}

/** Returns the error for a code that is wrong or has expired. */
export function wrongCode({ t }: PageContext): FormError {
  return { field: 'code', message: t('codeWrong') };
}

/** Returns the error for a reached attempt limit. */
export function tooManyAttempts({ t }: PageContext): FormError {
  return { field: null, message: t('tooManyAttempts') };
}

/** Returns the address to which this browser had a code sent, or null when it requested none for this purpose. */
export function pendingEmail({ state: { pendingCode } }: PageContext, purpose: CodePurpose): string | null {
  return pendingCode?.purpose === purpose ? pendingCode.email : null;
}

/** Returns the address that a submitted code belongs to: the pending one, or else the submitted one. */
export function emailOfCode(context: PageContext, purpose: CodePurpose): string {
  return pendingEmail(context, purpose) ?? normalizeEmail(context.field('email'));
}

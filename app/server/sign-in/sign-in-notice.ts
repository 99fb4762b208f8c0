import { createFlashCookie } from '../cookies/flash-cookie.ts';
import { type SignInErrorCode, signInErrorCodes } from '../user-pool/sign-in-error.ts';

/** Why a sign-in failed, that a sign-out succeeded, or that it did not reach the hosted login. */
export type SignInNotice = SignInErrorCode | 'signed-out' | 'sign-out-incomplete';

const notices: readonly SignInNotice[] = [...signInErrorCodes, 'signed-out', 'sign-out-incomplete'];

/** The flash cookie that passes the result of a failed sign-in or a sign-out to the next page. */
export const signInNotice = createFlashCookie<SignInNotice>('notice', {
  serialize: (notice) => notice,
  parse: (text) => notices.find((notice) => notice === text) ?? null,
});

/** Whether the notice is about a failed sign-in. */
export function isSignInError(notice: SignInNotice | null): notice is SignInErrorCode {
  return signInErrorCodes.some((code) => code === notice);
}

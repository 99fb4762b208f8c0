import { createFlashCookie } from '../cookies/flash-cookie.ts';
import { type SignInErrorCode, signInErrorCodes } from '../user-pool/sign-in-error.ts';

/** Why a sign-in failed, or that the hosted login was not signed out of. */
export type SignInNotice = SignInErrorCode | 'sign-out-incomplete';

const notices: readonly SignInNotice[] = [...signInErrorCodes, 'sign-out-incomplete'];

/** The flash cookie that tells the next page about a problem with signing in or out. */
export const signInNotice = createFlashCookie<SignInNotice>('notice', {
  serialize: (notice) => notice,
  parse: (text) => notices.find((notice) => notice === text) ?? null,
});

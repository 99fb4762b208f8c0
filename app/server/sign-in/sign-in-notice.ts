import { createFlashCookie } from '../cookies/flash-cookie.ts';
import { type SignInErrorCode, signInErrorCodes } from '../user-pool/sign-in-error.ts';

/** The flash cookie that tells the next page why a sign-in failed. */
export const signInNotice = createFlashCookie<SignInErrorCode>('notice', {
  serialize: (code) => code,
  parse: (text) => signInErrorCodes.find((code) => code === text) ?? null,
});

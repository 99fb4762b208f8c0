import { type SignInErrorCode, signInErrorCodes } from '@tenfold/cognito-session';
import { createFlashCookie } from './flash-cookie.ts';

/** How a session ended. `incomplete`: the hosted login is down. `unconfirmed`: it refused the revocation. */
const signOutNotices = [
  'signed-out',
  'account-deleted',
  'sign-out-incomplete',
  'sign-out-unconfirmed',
] as const;

/** Why a sign-in failed, or what became of a sign-out. */
export type SignInNotice = SignInErrorCode | (typeof signOutNotices)[number];

const notices: readonly SignInNotice[] = [...signInErrorCodes, ...signOutNotices];

/** A notice, and for a sign-out the page that the visitor was on. The hosted login returns to `/`, which leads there. */
type PassedNotice = { code: SignInNotice; returnTo?: string };

/** The flash cookie that passes the result of a failed sign-in or a sign-out to the next page. */
export const signInNotice = createFlashCookie<PassedNotice>('notice', {
  serialize: ({ code, returnTo }) =>
    returnTo ? `${code}.${Buffer.from(returnTo).toString('base64url')}` : code,
  parse(text) {
    const [name, path] = text.split('.', 2);
    const code = notices.find((notice) => notice === name);
    if (!code) return null;
    return path ? { code, returnTo: Buffer.from(path, 'base64url').toString() } : { code };
  },
});

/** Whether the notice is about a failed sign-in. */
export function isSignInError(notice: SignInNotice | null): notice is SignInErrorCode {
  return signInErrorCodes.some((code) => code === notice);
}

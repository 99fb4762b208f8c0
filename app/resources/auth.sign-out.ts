import type { ActionFunctionArgs } from '@remix-run/node';
import { parseReturnTo } from '@tenfold/cognito-session';
import { readForm } from '@tenfold/site-server';
import { localeOfPath, stripLocale } from '../i18n/locales.ts';
import { pageAtPath } from '../i18n/localized-page.ts';
import { isForMembers } from '../pages.ts';
import { clearingStorage, methodNotAllowed, redirectTo } from '../server/errors/redirects.ts';
import { rememberLocale } from '../server/preferences/preferences.ts';
import { signInNotice } from '../server/preferences/sign-in-notice.ts';

/**
 * Ends the site's session, then the hosted login's. The next page, to which the hosted login redirects, confirms it, or
 * says that the refresh token is not revoked yet. Without a session, it clears the cookies and redirects back. When the
 * hosted login is down, it also redirects back, with a notice.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const { auth, env, cookies, identity, session } = context;
  const revocation = await auth.end(request, context);
  // Sign-out works even when the form is invalid.
  const form = await readForm(request).catch(() => new FormData());
  const returnTo = parseReturnTo(form.get('returnTo'), env.appOrigin);
  if (session.state !== 'signed-in') return redirectTo(returnTo, 303);
  identity.forget(session.id);
  if (revocation === 'unavailable') {
    signInNotice.set(cookies, { code: 'sign-out-incomplete' }, env.session.secure);
    return clearingStorage(redirectTo(returnTo, 303));
  }
  // The hosted login redirects to `/`, which leads on to the page and must know the language that the visitor was reading.
  const { pathname } = new URL(returnTo, env.appOrigin);
  const page = pageAtPath(stripLocale(pathname));
  const isOpen = pathname !== '/' && !(page && isForMembers(page));
  const code = revocation === 'revoked' ? 'signed-out' : 'sign-out-unconfirmed';
  signInNotice.set(cookies, { code, ...(isOpen ? { returnTo } : {}) }, env.session.secure);
  if (form.has('returnTo')) rememberLocale(cookies, localeOfPath(pathname), env.session.secure);
  return clearingStorage(redirectTo(auth.logoutUrl, 303));
}

export function loader() {
  return methodNotAllowed('POST');
}

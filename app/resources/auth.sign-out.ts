import type { ActionFunctionArgs } from '@remix-run/node';
import { localeOfPath } from '../i18n/locales.ts';
import { methodNotAllowed, redirectTo } from '../server/http/redirects.ts';
import { readForm } from '../server/http/request-body.ts';
import { rememberLocale } from '../server/preferences/preferences.ts';
import { parseReturnTo } from '../server/sign-in/return-to.ts';
import { signInNotice } from '../server/sign-in/sign-in-notice.ts';
import { createLogoutUrl } from '../server/user-pool/hosted-login.ts';

/**
 * Ends the site's session, then the hosted login's. The next page, to which the hosted login redirects, confirms it.
 * Without a session, it clears the cookies and redirects back. When the hosted login is down, it also redirects back,
 * with a notice.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const { env, cookies, identity, session, sessions } = context;
  const { isHostedLoginDown } = await sessions.end(request, cookies, session);
  // Sign-out works even when the form is invalid.
  const form = await readForm(request).catch(() => new FormData());
  const returnTo = parseReturnTo(form.get('returnTo'), env.appOrigin);
  if (session.state !== 'signed-in') return redirectTo(returnTo, 303);
  identity.forget(session.id);
  if (isHostedLoginDown) {
    signInNotice.set(cookies, 'sign-out-incomplete', env.session.secure);
    return clearingStorage(redirectTo(returnTo, 303));
  }
  signInNotice.set(cookies, 'signed-out', env.session.secure);
  // The hosted login redirects to `/`, which must show the language that the visitor was reading.
  if (form.has('returnTo')) {
    const { pathname } = new URL(returnTo, env.appOrigin);
    rememberLocale(cookies, localeOfPath(pathname), env.session.secure);
  }
  return clearingStorage(redirectTo(createLogoutUrl(env), 303));
}

/**
 * Makes the browser clear the storage of every tab of the site, which contains drafts of messages
 * (https://www.w3.org/TR/clear-site-data/). Cookies with preferences stay.
 */
function clearingStorage(response: Response): Response {
  response.headers.set('clear-site-data', '"storage"');
  return response;
}

export function loader() {
  return methodNotAllowed('POST');
}

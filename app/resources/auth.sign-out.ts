import type { ActionFunctionArgs } from '@remix-run/node';
import { localeOfPath } from '../i18n/locales.ts';
import { methodNotAllowed, sendTo } from '../server/http/redirects.ts';
import { readForm } from '../server/http/request-body.ts';
import { rememberLocale } from '../server/preferences/preferences.ts';
import { parseReturnTo } from '../server/sign-in/return-to.ts';

/** Ends the session here, then the hosted login's. Without one, it dismisses what is left and goes back. */
export async function action({ request, context }: ActionFunctionArgs) {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const { env, cookies, identity, session, sessions, signIn } = context;
  await sessions.end(request, cookies, session);
  // Whatever is wrong with the form, signing out works.
  const form = await readForm(request).catch(() => new FormData());
  const returnTo = parseReturnTo(form.get('returnTo'), env.appOrigin);
  if (session.state !== 'signed-in') return sendTo(returnTo, 303);
  identity.forget(session.id);
  // The hosted login comes back to bare `/`, which is to speak the language that the visitor was just reading.
  if (form.has('returnTo')) {
    const { pathname } = new URL(returnTo, env.appOrigin);
    rememberLocale(cookies, localeOfPath(pathname), env.appOrigin.startsWith('https:'));
  }
  return sendTo(signIn.logoutUrl, 303);
}

export function loader() {
  return methodNotAllowed('POST');
}

import type { ActionFunctionArgs } from '@remix-run/node';
import type { ClientActionFunctionArgs } from '@remix-run/react';
import { parseReturnTo } from '@tenfold/cognito-session';
import { readForm } from '@tenfold/site-server';
import { formClientAction } from '../forms/send-form.ts';
import { localizePath, parseLocale } from '../i18n/locales.ts';
import { methodNotAllowed, redirectTo } from '../server/errors/redirects.ts';
import { dismissLanguageOffer, rememberLocale, rememberTheme } from '../server/preferences/preferences.ts';
import { parseTheme } from '../theme/theme.ts';

/**
 * Stores a chosen language or theme, or that the language offer was dismissed, in its cookie. Redirects back to the
 * page, in the new language if one was chosen.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const locale = form.has('locale') ? parseLocale(form.get('locale')) : null;
  const theme = form.has('theme') ? parseTheme(form.get('theme')) : null;
  const isDismissal = form.get('languageOffer') === 'dismissed';
  const isValid = (!form.has('locale') || locale) && (!form.has('theme') || theme);
  if (!isValid || !(locale || theme || isDismissal)) throw new Response(null, { status: 400 });

  const { secure } = context.env.session;
  if (theme) rememberTheme(context.cookies, theme, secure);
  if (locale) rememberLocale(context.cookies, locale, secure);
  if (isDismissal) dismissLanguageOffer(context.cookies, secure);

  // Client-side code stays on its page and reloads the data that depends on the cookie.
  if (context.isDataRequest && !locale) return null;

  const { appOrigin } = context.env;
  const returnTo = new URL(parseReturnTo(form.get('returnTo'), appOrigin), appOrigin);
  if (!locale) return redirectTo(pathOf(returnTo), 303);
  returnTo.pathname = localizePath(returnTo.pathname, locale);
  // Without its language the address may be one that no form may lead to.
  const target = parseReturnTo(pathOf(returnTo), appOrigin);
  const response = redirectTo(target, 303);
  // The page in the same language does not get a second entry in the history. Remix documents the header for `replace`.
  if (context.isDataRequest && target === form.get('returnTo'))
    response.headers.set('x-remix-replace', 'true');
  return response;
}

export function clientAction(args: ClientActionFunctionArgs) {
  return formClientAction(args);
}

function pathOf({ pathname, search, hash }: URL): string {
  return pathname + search + hash;
}

export function loader() {
  return methodNotAllowed('POST');
}

/** The data of the root route, which every page uses. */
import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import type { Locale } from '../../i18n/locales.ts';
import { offeredLocale } from '../preferences/language-offer.ts';
import { requestLocale } from '../preferences/locale-detection.ts';
import { readTheme } from '../preferences/preferences.ts';
import { isSignInError, type SignInNotice } from '../preferences/sign-in-notice.ts';
import { toVisitor } from './visitor.ts';

/**
 * Loads what every page needs: the locale, the stored theme, the visitor, a pending notice,
 * the offer to read the page in another language, and the configured links to other sites.
 */
export async function loadRootData(args: LoaderFunctionArgs) {
  const { request, context } = args;
  const { session, consumeNotice, env, i18n } = context;
  const locale = await requestLocale(args);
  const notice = consumeNotice();
  return {
    locale: locale.code,
    theme: readTheme(request),
    visitor: toVisitor(session),
    notice,
    signInError: await signInErrorText(notice, locale, i18n),
    languageOffer: await languageOfferTexts(offeredLocale(locale, request), i18n),
    origin: env.appOrigin,
    links: env.links,
  };
}

async function signInErrorText(notice: SignInNotice | null, { code }: Locale, i18n: AppLoadContext['i18n']) {
  if (!isSignInError(notice)) return null;
  const t = await i18n.getFixedT(code, 'server');
  return t(`signInError.${notice}`);
}

/** The texts of the offer, in the language that is offered. The browser has only the texts of the page's language. */
async function languageOfferTexts(locale: Locale | null, i18n: AppLoadContext['i18n']) {
  if (!locale) return null;
  const t = await i18n.getFixedT(locale.code, 'server');
  return {
    locale: locale.code,
    label: t('language.label', { ns: 'common' }),
    available: t('languageOffer.available'),
    switch: t('languageOffer.switch'),
    dismiss: t('languageOffer.dismiss'),
  };
}

/** The data of the root route, which every page uses. */
import type { LoaderFunctionArgs } from '@remix-run/node';
import { type Locale, localeOfPath } from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import { offeredLocale } from '../preferences/language-offer.ts';
import { toVisitor } from '../session/visitor.ts';
import { isSignInError } from '../sign-in/sign-in-notice.ts';

/**
 * Loads what every page needs: the locale, the stored theme, the visitor, a pending notice,
 * the offer to read the page in another language, and the configured links to other sites.
 */
export async function loadRootData({ request, context }: LoaderFunctionArgs) {
  const { translations, theme, session, consumeNotice, env } = context;
  const locale = localeOfPath(new URL(request.url).pathname);
  const notice = consumeNotice();
  const { t } = translations.instance(locale.code);
  return {
    locale: locale.code,
    theme,
    visitor: toVisitor(session),
    notice,
    signInError: isSignInError(notice) ? t(`signInError.${notice}`, { ns: 'server' }) : null,
    languageOffer: toLanguageOffer(offeredLocale(locale, request), translations),
    origin: env.appOrigin,
    links: env.links,
  };
}

/** The texts of the offer, in the language that is offered. The browser has only the texts of the page's language. */
function toLanguageOffer(locale: Locale | null, translations: Translations) {
  if (!locale) return null;
  const { t } = translations.instance(locale.code);
  return {
    locale: locale.code,
    label: t('language.label'),
    available: t('languageOffer.available', { ns: 'server' }),
    switch: t('languageOffer.switch', { ns: 'server' }),
    dismiss: t('languageOffer.dismiss', { ns: 'server' }),
  };
}

/** The data of the root route, which every page uses. */
import type { LoaderFunctionArgs } from '@remix-run/node';
import { localeOfPath } from '../../i18n/locales.ts';
import { isDocumentRequest } from '../http/document-request.ts';
import { toVisitor } from '../session/visitor.ts';

/**
 * Loads what every page needs: the locale and its shared translations, the stored theme, the visitor, a pending notice.
 */
export async function loadRootData({ request, context }: LoaderFunctionArgs) {
  const { translations, theme, session, notice, env } = context;
  const locale = localeOfPath(new URL(request.url).pathname);
  const { t } = translations.instance(locale.code);
  return {
    errorTitles: { notFound: t('error.notFound.title'), other: t('error.other.title') },
    locale: locale.code,
    // Client-side navigation takes the translations from the page's payload.
    translations: isDocumentRequest(request.headers) ? translations.of(locale.code, ['common']) : {},
    theme,
    visitor: toVisitor(session),
    notice,
    origin: env.appOrigin,
  };
}

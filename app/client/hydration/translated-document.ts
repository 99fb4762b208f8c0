import { localeOfPath } from '../../i18n/locales.ts';

/**
 * Whether the browser or an extension has translated the document. It must not be hydrated then, because React would bring
 * back the original texts. It works without scripts.
 * Google's translator sets a class and wraps texts in `<font>`; others change the language of the document.
 */
export function isTranslated({ documentElement, body, location }: Document): boolean {
  const { classList, lang } = documentElement;
  return (
    classList.contains('translated-ltr') ||
    classList.contains('translated-rtl') ||
    lang !== localeOfPath(location.pathname).iso ||
    body.querySelector('font') !== null
  );
}

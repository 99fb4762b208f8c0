import type { LocaleCode } from '~/i18n/locales.ts';

/** Addresses of the files that `scripts/fonts` writes. A language whose letters are all Latin has none. */
const styles = import.meta.glob<string>(['../../fonts/built/*.css', '!**/words.css'], {
  query: '?url',
  import: 'default',
  eager: true,
});
const fonts = import.meta.glob<string>('../../fonts/built/*-text.woff2', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The fonts of the page's script, and a preload of the file that most of the page's text needs. */
export function ScriptFonts({ locale }: { locale: LocaleCode }) {
  const style = styles[`../../fonts/built/${locale}.css`];
  const font = fonts[`../../fonts/built/${locale}-text.woff2`];
  if (!style || !font) return null;
  return (
    <>
      <link rel="preload" as="font" href={font} type="font/woff2" crossOrigin="anonymous" />
      <link rel="stylesheet" href={style} />
    </>
  );
}

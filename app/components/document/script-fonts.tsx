import { fonts } from '~/brand/fonts.ts';
import type { LocaleCode } from '~/i18n/locales.ts';

/** Addresses of the files that `tools/build/fonts` writes. A language whose letters are all Latin has no style sheet. */
const files = import.meta.glob<string>(
  ['../../fonts/built/*.css', '../../fonts/built/*-{latin,text}.woff2', '!**/{latin,words}.css'],
  { query: '?url', import: 'default', eager: true },
);

/** The style sheet of the page's script, and preloads of the files that most of the page's text needs. */
export function ScriptFonts({ locale }: { locale: LocaleCode }) {
  const addressOf = (file: string) => files[`../../fonts/built/${file}`];
  const style = addressOf(`${locale}.css`);
  const names = [`${fonts.text.file}-latin`, `${fonts.headings.file}-latin`, `${locale}-text`];
  return (
    <>
      {style ? <link rel="stylesheet" href={style} /> : null}
      {names.map((name) => {
        const font = addressOf(`${name}.woff2`);
        return font ? <link key={name} rel="preload" as="font" href={font} crossOrigin="" /> : null;
      })}
    </>
  );
}

import { useTranslation } from 'react-i18next';
import { locales } from '~/i18n/locales.ts';

/**
 * One sentence in all languages, each in its script, direction and line height: the first of article 1 of the Universal
 * Declaration of Human Rights, in the translations of the UN.
 */
export function TypeScripts() {
  const { t } = useTranslation('typography-demo');
  return (
    <figure>
      {/*
       * The browser lays the list out and loads its fonts when it is near. Every sentence has the height of the longest
       * one, in any font, so nothing moves when the fonts arrive.
       */}
      <ul
        data-words="typography-demo"
        className="grid gap-px overflow-hidden rounded-card border border-line bg-line [contain-intrinsic-block-size:auto_104rem] [content-visibility:auto] md:grid-cols-2 md:[contain-intrinsic-block-size:auto_60rem] xl:[contain-intrinsic-block-size:auto_52rem]"
      >
        {locales.map(({ code, iso, dir, ownName }) => (
          <li key={code} lang={iso} dir={dir} className="bg-surface p-5 sm:p-7">
            <p className="text-sm text-ink-muted">{ownName}</p>
            <p className="mt-2 min-h-[4lh] text-lead leading-(--leading-text) min-[22rem]:min-h-[3lh] xl:min-h-[2lh]">
              {t(`allLocales.${code}.humanRights`)}
            </p>
          </li>
        ))}
      </ul>
      <figcaption className="mt-3 text-sm text-ink-muted">{t('scripts.source')}</figcaption>
    </figure>
  );
}

import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { locales, localizePath } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { Icon } from '../../components/ui/icon.tsx';

/** The languages as panels of a folded strip of paper. Each links to the home page in its language, with a greeting. */
export function LanguageFold() {
  const { t } = useTranslation('home');
  const current = useLocale();
  return (
    <nav aria-label={t('languages')}>
      <ul className="language-fold" data-words="home">
        {locales.map((locale) => (
          <li key={locale.code} lang={locale.iso} dir={locale.dir}>
            <Link
              to={localizePath('/', locale)}
              hrefLang={locale.iso}
              aria-current={locale === current ? 'true' : undefined}
            >
              <span className="font-display leading-tight font-medium">
                {t(`allLocales.${locale.code}.greeting`)}
              </span>
              <span className="mt-auto flex items-end justify-between gap-1 text-sm leading-snug">
                {locale.ownName}
                {locale === current ? <Icon name="lucide:check" className="size-4" /> : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

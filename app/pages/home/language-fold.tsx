import { useTranslation } from 'react-i18next';
import { locales } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { LanguageForm } from '../../components/site/language-form.tsx';
import { Icon } from '../../components/ui/icon.tsx';

/**
 * The languages as panels of a folded strip of paper, each with a greeting. They are buttons, because to open the home page
 * in a language is to choose it, as in the language menu.
 */
export function LanguageFold() {
  const { t } = useTranslation('home');
  return (
    <LanguageForm label={t('languages')}>
      <ul className="language-fold">
        <Panels />
      </ul>
    </LanguageForm>
  );
}

function Panels() {
  const { t } = useTranslation('home');
  const current = useLocale();
  return (
    <>
      {locales.map((locale) => (
        <li key={locale.code} lang={locale.iso} dir={locale.dir}>
          <button
            type="submit"
            name="locale"
            value={locale.code}
            aria-current={locale === current ? 'true' : undefined}
          >
            <span className="font-display leading-tight font-medium">
              {t(`allLocales.${locale.code}.greeting`)}
            </span>
            <span className="mt-auto flex justify-between gap-1 text-sm leading-snug">
              <span>{locale.ownName}</span>
              {locale === current ? <Icon name="lucide:check" className="size-4" /> : null}
            </span>
          </button>
        </li>
      ))}
    </>
  );
}

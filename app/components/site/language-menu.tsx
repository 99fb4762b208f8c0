import { useTranslation } from 'react-i18next';
import { locales } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { LanguageForm } from './language-form.tsx';
import { ThemeControl } from './theme-control.tsx';

/**
 * The locales in the order of their own names: by the alphabet within a script, and the scripts in the order of Unicode
 * (Latin, Cyrillic, Arabic, Devanagari, Han). It is the same in every language, so visitors find theirs at the same
 * place. Without a collator, whose order could differ between the server and a browser.
 */
const localesByOwnName = locales
  .map((locale) => ({ locale, sortKey: locale.ownName.normalize('NFD').toLowerCase() }))
  .sort((one, other) => (one.sortKey < other.sortKey ? -1 : 1))
  .map(({ locale }) => locale);

/**
 * Changes the language of the current page and stores the choice, and on small screens the theme. Each language has its own
 * name for itself. They are sorted by these names, down the columns.
 */
export function LanguageMenu() {
  const { t } = useTranslation();
  const current = useLocale();
  const label = (
    <>
      <Icon name="lucide:globe" className="size-5" />
      <span className="sr-only">{`${t('language.label')}: `}</span>
      <span className="max-[26rem]:sr-only">{current.ownName}</span>
    </>
  );
  return (
    <Disclosure label={label}>
      <LanguageForm>
        <ul aria-label={t('language.label')} className="columns-2 gap-1">
          <Languages />
        </ul>
      </LanguageForm>
      {/* The header of small screens has no room for it. */}
      <div className="mt-1 flex items-center justify-between gap-2 border-t border-line ps-3 pt-2 sm:hidden">
        <span className="text-sm text-ink-muted">{t('theme.label')}</span>
        <ThemeControl />
      </div>
    </Disclosure>
  );
}

function Languages() {
  const current = useLocale();
  return (
    <>
      {localesByOwnName.map((locale) => (
        <li key={locale.code} lang={locale.iso} dir={locale.dir} className="break-inside-avoid pb-1">
          <button
            type="submit"
            name="locale"
            value={locale.code}
            aria-current={locale === current ? 'true' : undefined}
            className="flex min-h-11 w-full items-center justify-between gap-2 rounded-control px-3 py-1.5 text-start hover:bg-sunken hover:text-primary aria-[current=true]:bg-primary-soft aria-[current=true]:font-medium aria-[current=true]:text-primary-ink"
          >
            <span>{locale.ownName}</span>
            {locale === current ? <Icon name="lucide:check" className="size-4" /> : null}
          </button>
        </li>
      ))}
    </>
  );
}

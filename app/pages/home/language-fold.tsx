import { Link } from '@remix-run/react';
import { type LocaleCode, locales, localizePath } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { Icon } from '../../components/ui/icon.tsx';

/** A greeting in each language, which needs no translation: it is one. */
const greetings: Record<LocaleCode, string> = {
  en: 'Hello',
  fr: 'Bonjour',
  es: 'Hola',
  zh: '你好',
  ar: 'مرحبًا',
  de: 'Hallo',
  pt: 'Olá',
  ja: 'こんにちは',
  ru: 'Привет',
  hi: 'नमस्ते',
};

/** The ten languages as the ten pages of a folded strip of paper; each opens the home page in its own language. */
export function LanguageFold({ label }: { label: string }) {
  const current = useLocale();
  return (
    <nav aria-label={label}>
      <ul className="language-fold">
        {locales.map((locale) => (
          <li key={locale.code} lang={locale.iso} dir={locale.dir}>
            <Link
              to={localizePath('/', locale)}
              hrefLang={locale.iso}
              aria-current={locale === current ? 'true' : undefined}
            >
              <span className="font-display leading-tight font-medium">{greetings[locale.code]}</span>
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

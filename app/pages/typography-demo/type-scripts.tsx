import { useTranslation } from 'react-i18next';
import { type LocaleCode, locales } from '~/i18n/locales.ts';

/** The first sentence of article 1 of the Universal Declaration of Human Rights, in the translations of the UN. */
const sentences: Record<LocaleCode, string> = {
  en: 'All human beings are born free and equal in dignity and rights.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos.',
  zh: '人人生而自由，在尊严和权利上一律平等。',
  ar: 'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos.',
  ja: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  ru: 'Все люди рождаются свободными и равными в своём достоинстве и правах.',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
};

/** One sentence in all ten languages, each in its script, its direction and its line height. */
export function TypeScripts() {
  const { t } = useTranslation('typography-demo');
  return (
    <figure>
      <ul className="grid gap-px overflow-hidden rounded-card border border-line bg-line md:grid-cols-2">
        {locales.map(({ code, iso, dir, ownName }) => (
          <li key={code} lang={iso} dir={dir} className="bg-surface p-5 sm:p-7">
            <p className="text-sm text-ink-muted">{ownName}</p>
            <p className="mt-2 text-lead leading-(--leading-text)">{sentences[code]}</p>
          </li>
        ))}
      </ul>
      <figcaption className="mt-3 text-sm text-ink-muted">{t('scripts.source')}</figcaption>
    </figure>
  );
}

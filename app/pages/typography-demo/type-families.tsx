import { useTranslation } from 'react-i18next';
import { fonts } from '../../brand/fonts.ts';

const families = [
  { key: 'text', name: fonts.text.family, className: 'font-sans' },
  { key: 'headings', name: fonts.headings.family, className: 'font-display' },
] as const;

const weights = [
  { weight: '300', className: 'font-light' },
  { weight: '400', className: 'font-normal' },
  { weight: '500', className: 'font-medium' },
  { weight: '600', className: 'font-semibold' },
  { weight: '700', className: 'font-bold' },
] as const;

/**
 * Characters of the font files that every page loads. Any other character would load two more files. Each line fits a
 * phone.
 */
const GLYPHS = [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789 & ? ! @ § € ß æ ñ ç ø',
];

/** The two font families with their uses, weights and characters. */
export function TypeFamilies() {
  const { t } = useTranslation('typography-demo');
  return (
    <ul className="grid grid-cols-1 gap-x-12 gap-y-14 lg:grid-cols-2">
      {families.map(({ key, name, className }) => (
        <li key={key} className={`@container border-t-2 border-ink pt-4 ${className}`}>
          <h3 className={`text-subheading ${className}`}>
            <bdi>{name}</bdi>
          </h3>
          <p className="text-ink-muted">{t(`families.${key}`)}</p>
          {/* `lang` resets the font family, so it is set again. */}
          <p
            lang="en"
            dir="ltr"
            className={`${className} mt-4 flex items-baseline justify-between text-[21cqi] leading-[1.2] font-medium tracking-tighter`}
          >
            <span>Aa</span>
            <span className="text-primary">Gg</span>
            <span className="text-secondary">Qq</span>
          </p>
          <p
            lang="en"
            dir="ltr"
            className={`${className} mt-6 text-lead leading-normal break-all rtl:text-end`}
          >
            {GLYPHS.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </p>
          <Weights family={className} />
        </li>
      ))}
    </ul>
  );
}

/** Each weight in Latin letters, because the fonts of other scripts have fewer weights. */
function Weights({ family }: { family: string }) {
  const { t } = useTranslation('typography-demo');
  return (
    <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2 text-lead">
      {weights.map(({ weight, className }) => (
        <li key={weight} className="flex items-baseline gap-2">
          <span lang="en" aria-hidden="true" className={`${family} ${className}`}>
            Aa
          </span>
          <span className="text-base text-ink-muted">{t(`tester.weight.${weight}`)}</span>
        </li>
      ))}
    </ul>
  );
}

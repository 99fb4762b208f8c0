import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';

const HEADING =
  'font-display font-semibold leading-(--leading-heading) tracking-(--tracking-heading) text-balance';

/** The steps of the scale with their sizes in rem on small and, where different, on wide screens. */
const steps = [
  { key: 'title', rem: [2.25, 4.25], className: `text-title ${HEADING}` },
  { key: 'heading', rem: [1.625, 2.375], className: `text-heading ${HEADING}` },
  { key: 'subheading', rem: [1.1875, 1.375], className: `text-subheading ${HEADING}` },
  { key: 'lead', rem: [1.125, 1.375], className: 'text-lead' },
  { key: 'body', rem: [1], className: 'text-base' },
  { key: 'small', rem: [0.875], className: 'text-sm' },
] as const;

/** Every font size of the site, largest first, each in its own size. */
export function TypeScale() {
  const { t } = useTranslation('typography-demo');
  const format = useNumberFormat();
  return (
    <ul className="border-b border-line">
      {steps.map(({ key, rem, className }) => (
        <li
          key={key}
          className="grid grid-cols-1 items-baseline gap-x-8 border-t border-line py-5 sm:grid-cols-[minmax(0,1fr)_9rem]"
        >
          <span className={className}>{t(`scale.steps.${key}`)}</span>
          <span className="font-display text-sm text-ink-muted tabular-nums sm:text-end">
            {`${rem.map((size) => format(size, { max: 2 })).join(' – ')} rem`}
          </span>
        </li>
      ))}
    </ul>
  );
}

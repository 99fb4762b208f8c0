import { useTranslation } from 'react-i18next';

const HEADING =
  'font-display font-semibold leading-(--leading-heading) tracking-(--tracking-heading) text-balance';

/** The steps of the scale with their sizes in rem, from small screens to wide ones where they grow. */
const steps = [
  { key: 'title', size: '2.25 – 4.25', className: `text-title ${HEADING}` },
  { key: 'heading', size: '1.63 – 2.38', className: `text-heading ${HEADING}` },
  { key: 'subheading', size: '1.19 – 1.38', className: `text-subheading ${HEADING}` },
  { key: 'lead', size: '1.13 – 1.38', className: 'text-lead' },
  { key: 'body', size: '1', className: 'text-base' },
  { key: 'small', size: '0.88', className: 'text-sm' },
] as const;

/** Every size in use, largest first, set in itself. */
export function TypeScale() {
  const { t } = useTranslation('typography-demo');
  return (
    <ul className="border-b border-line">
      {steps.map(({ key, size, className }) => (
        <li
          key={key}
          className="grid grid-cols-1 items-baseline gap-x-8 border-t border-line py-5 sm:grid-cols-[minmax(0,1fr)_9rem]"
        >
          <span className={className}>{t(`scale.steps.${key}`)}</span>
          <span className="font-display text-sm text-ink-muted tabular-nums sm:text-end">
            <bdi dir="ltr">{size} rem</bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}

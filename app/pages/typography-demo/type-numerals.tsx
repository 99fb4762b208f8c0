import { useTranslation } from 'react-i18next';
import { formatNumber } from '~/i18n/formats.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { fonts } from '../../brand/fonts.ts';
import { RichText } from '../../components/ui/rich-text.tsx';
import type { SampleName } from './format-samples.ts';

const figures = [
  { key: 'proportional', family: fonts.headings.family, className: 'font-display proportional-nums' },
  { key: 'tabular', family: fonts.headings.family, className: 'font-display tabular-nums' },
  { key: 'text', family: fonts.text.family, className: 'font-sans' },
] as const;

/** Two numbers with the same number of digits, one with narrow digits and one with wide digits. */
const amounts = [11_171.1, 80_808.96];

const sampleNames: readonly SampleName[] = [
  'date',
  'time',
  'relative',
  'number',
  'percent',
  'unit',
  'list',
  'order',
];

/** The digits of both families, and numbers, dates and lists in the page's locale. */
export function TypeNumerals(samples: Record<SampleName, string>) {
  return (
    <div className="grid grid-cols-1 gap-12 lg:grid-cols-2 lg:gap-16">
      <Figures />
      <SampleTable samples={samples} />
    </div>
  );
}

function Figures() {
  // The families contain only the digits 0 to 9, so the Arabic page shows them too.
  const locale = `${useLocale().iso}-u-nu-latn`;
  return (
    <ul className="grid content-start gap-6">
      {figures.map(({ key, family, className }) => (
        <li key={key} className="border-t border-line pt-3">
          <FigureName name={key} family={family} />
          <p dir="ltr" className={`${className} mt-1 text-heading leading-tight font-medium rtl:text-end`}>
            {amounts.map((amount) => (
              <span key={amount} className="block">
                {formatNumber(amount, locale, { min: 2 })}
              </span>
            ))}
          </p>
        </li>
      ))}
      <li className="border-t border-line pt-3">
        <FigureName name="fractions" family={fonts.text.family} />
        <p dir="ltr" className="mt-1 text-heading leading-tight font-medium diagonal-fractions rtl:text-end">
          1/4 1/2 3/4
        </p>
      </li>
    </ul>
  );
}

type FigureName = (typeof figures)[number]['key'] | 'fractions';

function FigureName({ name, family }: { name: FigureName; family: string }) {
  const { t } = useTranslation('typography-demo');
  return (
    <p className="text-sm text-ink-muted">
      <RichText
        text={t(`numerals.${name}`, { family })}
        elements={{ family: <bdi className="font-medium text-ink" /> }}
      />
    </p>
  );
}

function SampleTable({ samples }: { samples: Record<SampleName, string> }) {
  const { t } = useTranslation('typography-demo');
  return (
    <table className="w-full border-collapse wrap-anywhere self-start text-start">
      <caption className="pb-3 text-start text-ink-muted">{t('numerals.tableCaption')}</caption>
      <thead>
        <tr className="border-b-2 border-ink">
          <th scope="col" className="py-2 pe-4 text-start font-semibold">
            {t('numerals.kind')}
          </th>
          <th scope="col" className="py-2 text-start font-semibold">
            {t('numerals.written')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sampleNames.map((name) => (
          <tr key={name} className="border-b border-line">
            <th scope="row" className="py-2.5 pe-4 text-start align-top font-normal text-ink-muted">
              {t(`numerals.samples.${name}`)}
            </th>
            <td className="py-2.5">
              <bdi>{samples[name]}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

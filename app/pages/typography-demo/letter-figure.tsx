import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';

const SIZE = 200;
const BASELINE = 180;

/** Heights above the baseline relative to the font size, from the metrics of Space Grotesk. */
const lines = [
  { key: 'capHeight', height: 0.7 },
  { key: 'xHeight', height: 0.486 },
  { key: 'baseline', height: 0 },
  { key: 'descender', height: -0.2 },
] as const;

/** A drawing of the letter heights on a word in Space Grotesk. */
export function LetterFigure() {
  const { t } = useTranslation('typography-demo');
  const format = useNumberFormat();
  const names = lines.map(({ key }) => t(`anatomy.${key}`));
  return (
    <figure>
      <div
        className="flex items-stretch gap-3 rounded-card border border-line bg-surface p-4 sm:p-6"
        dir="ltr"
      >
        <svg role="img" aria-label={t('anatomy.drawing')} viewBox="0 0 540 250" className="min-w-0 grow">
          <text x="4" y={BASELINE} fontSize={SIZE} className="fill-ink font-display font-medium" lang="en">
            Type
          </text>
          {lines.map(({ key, height }, index) => (
            <HeightLine
              key={key}
              y={BASELINE - height * SIZE}
              isBaseline={key === 'baseline'}
              label={format(index + 1)}
            />
          ))}
        </svg>
      </div>
      <figcaption className="mt-3 text-sm text-ink-muted">
        <span>{t('anatomy.caption')}</span>
        <ol className="mt-1 list-inside list-numbers columns-2 marker:font-display">
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ol>
      </figcaption>
    </figure>
  );
}

/** A line through the word at a height, with its number. The baseline is solid and thicker. */
function HeightLine({ y, isBaseline, label }: { y: number; isBaseline: boolean; label: string }) {
  return (
    <g>
      <line
        x1="0"
        x2="500"
        y1={y}
        y2={y}
        className={isBaseline ? 'stroke-primary' : 'stroke-secondary'}
        strokeWidth={isBaseline ? 3 : 1.5}
        strokeDasharray={isBaseline ? undefined : '6 5'}
      />
      <text x="512" y={y + 8} fontSize="24" className="fill-ink-muted font-display">
        {label}
      </text>
    </g>
  );
}

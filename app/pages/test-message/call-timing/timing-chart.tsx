import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';
import { Icon } from '../../../components/ui/icon.tsx';
import type { CallTiming } from '../../../server/data-api/data-api.ts';
import { layOutLegs, type PlacedLeg } from './call-legs.ts';

type TimingChartProps = { title: string; timing: CallTiming };

/**
 * A chart of one call with a bar per leg. The bars are hidden from assistive technology, because the text beside them has
 * the same information.
 */
export function TimingChart({ title, timing }: TimingChartProps) {
  const { t } = useTranslation('test-message');
  const titleId = useId();
  const { legs, total } = layOutLegs(timing);
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="flex items-baseline justify-between gap-4 font-semibold">
        {title}
        <span className="font-sans text-sm font-normal tracking-normal whitespace-nowrap text-ink-muted">
          <span className="sr-only">{t('way.total')} </span>
          <Duration ms={total} />
        </span>
      </h3>
      <ol className="mt-3 grid gap-3">
        {legs.map((leg) => (
          <Leg key={leg.name} leg={leg}>
            {leg.name === 'identity' ? (
              <Tag>{t(timing.identityCached ? 'way.atHand' : 'way.fetched')}</Tag>
            ) : null}
            {leg.name === 'upstream' && timing.attempts > 1 ? (
              <Tag>{t('way.attempts', { count: timing.attempts })}</Tag>
            ) : null}
          </Leg>
        ))}
      </ol>
    </section>
  );
}

function Leg({ leg, children }: { leg: PlacedLeg; children: ReactNode }) {
  const { t } = useTranslation('test-message');
  return (
    <li className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Icon name={leg.icon} className="size-4 text-ink-muted" />
        <span>{t(`leg.${leg.name}.name`)}</span>
        {children}
        <span className="ms-auto tabular-nums">
          <Duration ms={leg.ms} />
        </span>
      </div>
      <svg aria-hidden="true" focusable="false" width="100%" height="8" className="mirrored block">
        <rect width="100%" height="8" rx="4" className="fill-sunken" />
        <rect
          x={`${leg.start}%`}
          width={`${leg.length}%`}
          height="8"
          rx="4"
          className={leg.isRemote ? 'fill-secondary' : 'fill-primary'}
        />
      </svg>
    </li>
  );
}

function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-full bg-secondary-soft px-2 py-0.5 text-xs font-medium text-secondary-ink">
      {children}
    </span>
  );
}

function Duration({ ms }: { ms: number }) {
  const format = useNumberFormat({
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: ms < 10 ? 1 : 0,
  });
  // The server's version of the locale data may use another kind of space than the browser's.
  return <span suppressHydrationWarning>{format.format(ms)}</span>;
}

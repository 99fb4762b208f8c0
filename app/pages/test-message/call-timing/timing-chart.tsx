import type { CallTiming, FailedCallTiming } from '@tenfold/appsync-proxy';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';
import { Icon } from '../../../components/ui/icon.tsx';
import { isFailed, layOutLegs, type PlacedLeg } from './call-legs.ts';

type TimingChartProps = {
  title: string;
  timing: CallTiming | FailedCallTiming;
  /** Whether the chart says what each leg does. */
  isExplained?: boolean;
};

/**
 * A chart of one call with a bar per leg. The bars are hidden from assistive technology, because the text beside them
 * has the same information.
 */
export function TimingChart({ title, timing, isExplained = false }: TimingChartProps) {
  const { t } = useTranslation('test-message');
  const titleId = useId();
  const { legs, total } = layOutLegs(timing);
  const duration = useDuration(total);
  return (
    <section aria-labelledby={titleId}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 id={titleId} className="font-semibold">
          {title}
        </h3>
        <p className={`text-sm ${isFailed(timing) ? 'font-medium text-danger' : 'text-ink-muted'}`}>
          {t(isFailed(timing) ? 'timing.failedAfter' : 'timing.total', { duration })}
        </p>
      </div>
      <ol className={`mt-3 grid ${isExplained ? 'gap-5' : 'gap-3'}`}>
        {legs.map((leg) => (
          <Leg key={leg.name} leg={leg} timing={timing} isExplained={isExplained} />
        ))}
      </ol>
    </section>
  );
}

type LegProps = { leg: PlacedLeg } & Required<Pick<TimingChartProps, 'timing' | 'isExplained'>>;

function Leg({ leg, timing, isExplained }: LegProps) {
  const { t } = useTranslation('test-message');
  const duration = useDuration(leg.ms);
  const { name, icon, state } = leg;
  const { attempts, identityCached } = timing;
  return (
    <li className="grid gap-1.5">
      <div className="flex items-start gap-x-2 text-sm">
        <div className="flex min-w-0 grow items-start gap-x-2">
          <LegLabel {...{ name, icon, state, attempts, identityCached }} />
        </div>
        <span className={`shrink-0 tabular-nums ${state === 'not-reached' ? 'text-ink-muted' : ''}`}>
          {state === 'not-reached' ? t('timing.notReached') : duration}
        </span>
      </div>
      <svg aria-hidden="true" focusable="false" width="100%" height="8" className="mirrored block">
        <rect width="100%" height="8" rx="4" className="fill-sunken" />
        {state === 'not-reached' ? null : (
          <rect x={`${leg.start}%`} width={`${leg.length}%`} height="8" rx="4" className={colorOf(leg)} />
        )}
      </svg>
      {isExplained ? <p className="text-sm text-ink-muted">{t(`leg.${name}.description`)}</p> : null}
    </li>
  );
}

function colorOf({ state, isRemote }: PlacedLeg): string {
  if (state === 'failed') return 'fill-danger';
  return isRemote ? 'fill-secondary' : 'fill-primary';
}

type LegTagProps = Pick<PlacedLeg, 'name' | 'state'> & Pick<CallTiming, 'attempts' | 'identityCached'>;

function LegLabel({ icon, ...leg }: Pick<PlacedLeg, 'icon'> & LegTagProps) {
  const { t } = useTranslation('test-message');
  return (
    <>
      <Icon name={icon} className="mt-0.5 size-4 text-ink-muted" />
      <div className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1">
        <span>{t(`leg.${leg.name}.name`)}</span>
        <LegTag {...leg} />
      </div>
    </>
  );
}

/** What is special about a leg: that it failed, where its keys are from, or the number of attempts. */
function LegTag({ name, state, attempts, identityCached }: LegTagProps) {
  const { t } = useTranslation('test-message');
  const repeated =
    name === 'upstream' && attempts > 1 ? <Tag>{t('timing.attempts', { count: attempts })}</Tag> : null;
  if (state === 'failed') {
    return (
      <>
        <Tag tone="danger">{t('timing.failed')}</Tag>
        {repeated}
      </>
    );
  }
  if (state === 'not-reached') return null;
  return name === 'identity' ? <Tag>{t(identityCached ? 'timing.cached' : 'timing.fetched')}</Tag> : repeated;
}

const tones = { plain: 'bg-secondary-soft text-secondary-ink', danger: 'bg-danger-soft text-danger-ink' };

function Tag({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium ${tones[tone]}`}
    >
      {tone === 'danger' ? <Icon name="lucide:circle-alert" className="size-3.5" /> : null}
      <span>{children}</span>
    </span>
  );
}

function useDuration(ms: number): string {
  const { t } = useTranslation('test-message');
  const format = useNumberFormat();
  return t('timing.milliseconds', { number: format(ms, { max: ms < 10 ? 1 : 0 }) });
}

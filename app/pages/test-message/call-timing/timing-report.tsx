import type { CallTiming, FailedCallTiming } from '@tenfold/appsync-proxy';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/ui/icon.tsx';
import { CallSteps } from './call-steps.tsx';
import { TimingChart } from './timing-chart.tsx';

/** `name` is the key of the call's title. */
export type ReportedCall = { name: 'posted' | 'listed'; timing: CallTiming | FailedCallTiming };

/** The timing of this page's last data API calls, whether they succeeded or failed. */
export function TimingReport({ calls }: { calls: readonly ReportedCall[] }) {
  const { t } = useTranslation('test-message');
  if (calls.length === 0) return null;
  return (
    <aside
      aria-labelledby="timing-heading"
      className="grid gap-6 rounded-card border border-line bg-surface p-5 sm:py-7 lg:sticky lg:top-24"
    >
      <div>
        <Introduction />
      </div>
      {calls.map(({ name, timing }) => (
        <TimingChart key={name} title={t(`timing.${name}`)} timing={timing} />
      ))}
      <details className="group text-sm">
        <Explanation />
      </details>
    </aside>
  );
}

function Introduction() {
  const { t } = useTranslation('test-message');
  return (
    <>
      <h2 id="timing-heading" className="scroll-mt-24 text-subheading">
        {t('timing.title')}
      </h2>
      <p className="mt-1 text-sm text-ink-muted">{t('timing.description')}</p>
    </>
  );
}

function Explanation() {
  const { t } = useTranslation('test-message');
  return (
    <>
      <summary className="flex min-h-9 items-center gap-1 font-medium text-primary">
        <span>{t('timing.explain')}</span>
        <Icon name="lucide:chevron-down" className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      <div className="animate-appear pt-3">
        <CallSteps />
      </div>
    </>
  );
}

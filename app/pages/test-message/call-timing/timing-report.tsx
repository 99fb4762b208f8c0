import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/ui/icon.tsx';
import type { CallTiming } from '../../../server/data-api/data-api.ts';
import { CallSteps } from './call-steps.tsx';
import { TimingChart } from './timing-chart.tsx';

/** The timing of this page's data API calls: posting the last message, and loading the list. */
export function TimingReport({ posted, listed }: { posted: CallTiming | null; listed: CallTiming | null }) {
  const { t } = useTranslation('test-message');
  if (!posted && !listed) return null;
  return (
    <aside
      aria-labelledby="way-heading"
      className="grid gap-6 rounded-card border border-line bg-surface p-5 lg:sticky lg:top-24 lg:col-start-2 lg:row-span-2 lg:row-start-1"
    >
      <div>
        <h2 id="way-heading" className="text-subheading">
          {t('way.title')}
        </h2>
        <p className="mt-1 text-sm text-ink-muted">{t('way.description')}</p>
      </div>
      {posted ? <TimingChart title={t('way.posted')} timing={posted} /> : null}
      {listed ? <TimingChart title={t('way.listed')} timing={listed} /> : null}
      <details className="group text-sm">
        <summary className="flex min-h-9 items-center gap-1 font-medium text-primary">
          {t('way.explain')}
          <Icon name="lucide:chevron-down" className="size-4 transition-transform group-open:rotate-180" />
        </summary>
        <div className="pt-3">
          <CallSteps />
        </div>
      </details>
    </aside>
  );
}

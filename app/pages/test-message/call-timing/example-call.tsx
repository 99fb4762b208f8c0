import type { CallTiming } from '@tenfold/appsync-proxy';
import { useTranslation } from 'react-i18next';
import { Card } from '../../../components/ui/card.tsx';
import { TimingChart } from './timing-chart.tsx';

/** The `Server-Timing` header of a visitor's first post, recorded with the local cloud on a machine with two cores. */
const recordedPost: CallTiming = {
  session: 0.1,
  identity: 25.8,
  sign: 0.3,
  upstream: 26.2,
  pause: 0,
  identityCached: false,
  attempts: 1,
};

/** What happens when a message is posted, with the times of a recorded call, for visitors who are not signed in. */
export function ExampleCall() {
  const { t } = useTranslation('test-message');
  return (
    <Card as="section">
      <h2 className="text-subheading">{t('signedOut.whatHappens')}</h2>
      <p className="mt-1 mb-6 text-sm text-ink-muted">{t('signedOut.example')}</p>
      <TimingChart title={t('timing.posted')} timing={recordedPost} isExplained />
    </Card>
  );
}

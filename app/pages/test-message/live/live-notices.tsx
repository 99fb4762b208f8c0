import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/ui/button.tsx';
import { useOnline } from '../../../components/ui/use-online.ts';
import type { LiveMessages } from './use-live-messages.ts';

/** From how many new messages above the visible part of the list the button that leads to them is shown. */
const MIN_OFFERED = 3;

/** Says that no messages arrive. */
export function LiveState({ live: { isLost } }: { live: LiveMessages }) {
  const { t } = useTranslation('test-message');
  if (!useOnline()) return <span>{t('live.offline')}</span>;
  return isLost ? <span>{t('live.reconnecting')}</span> : null;
}

type LiveNoticeProps = { live: LiveMessages; heading: RefObject<HTMLElement> };

/** Leads to new messages that are above the visible part of the list, and announces what has happened. */
export function LiveNotice({ live: { unseen, see, announced }, heading }: LiveNoticeProps) {
  const { t } = useTranslation('test-message');
  const show = () => {
    see();
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest('section')?.scrollIntoView({ behavior });
  };
  return (
    // Outside of the layout, so that the button moves nothing.
    <div className="fixed inset-x-0 top-4 z-10 mx-auto w-fit">
      {unseen < MIN_OFFERED ? null : (
        <Button type="button" size="small" icon="lucide:arrow-up" onClick={show}>
          {t('live.new', { count: unseen })}
        </Button>
      )}
      <p aria-live="polite" className="sr-only">
        {announced.new > 0 ? <span>{t('live.new', { count: announced.new })} </span> : null}
        {announced.gone > 0 ? <span>{t('live.gone', { count: announced.gone })}</span> : null}
      </p>
    </div>
  );
}

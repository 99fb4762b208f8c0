import { Link, useLocation, useNavigation } from '@remix-run/react';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useSignInAddress } from '../../components/site/return-to-field.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import { MessageItem, SendingItem } from './message-item.tsx';
import type { MessageErrorCode, MessageFeed } from './message-outcome.ts';
import type { Deleting } from './use-deleting.ts';

type MessageListProps = {
  feed: Exclude<MessageFeed, { state: 'signed-out' }>;
  /** Whether the messages are from an earlier load, because the last one failed. */
  isStale: boolean;
  /** Text of the message that is being sent, or null. */
  sending: string | null;
  deleting: Deleting;
  heading: RefObject<HTMLHeadingElement>;
};

/** The messages, newest first, with errors, the empty state and links to other pages of messages. */
export function MessageList({ feed, isStale, sending, deleting, heading }: MessageListProps) {
  const { t } = useTranslation('test-message');
  const isLoading = useNavigation().state === 'loading';
  return (
    <section id="messages" aria-labelledby="messages-heading" className="grid gap-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="messages-heading" ref={heading} tabIndex={-1} className="text-subheading">
          {t('list.title')}
        </h2>
        <p role="status" className="text-sm text-ink-muted">
          {isLoading ? t('list.loading') : deleting.isDone ? t('list.deleted') : null}
        </p>
      </div>
      {deleting.error ? <Failed title={t('list.deleteFailed')} error={deleting.error} /> : null}
      {isStale ? <Failed title={t('list.stale')} error="offline" /> : null}
      <div
        aria-busy={isLoading || undefined}
        className={`transition-opacity ${isLoading ? 'opacity-80' : ''}`}
      >
        <Messages feed={feed} sending={sending} deleting={deleting} />
      </div>
      <Pages nextToken={feed.state === 'listed' ? feed.nextToken : null} />
    </section>
  );
}

function Messages({ feed, sending, deleting }: Pick<MessageListProps, 'feed' | 'sending' | 'deleting'>) {
  const { t } = useTranslation('test-message');
  const messages = feed.state === 'listed' ? feed.messages : [];
  return (
    <>
      {messages.length > 0 || sending !== null ? (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers
        <ul role="list" className="grid gap-3">
          {sending === null ? null : <SendingItem text={sending} />}
          {messages.map((message) => (
            <MessageItem key={message.id} message={message} deleting={deleting} />
          ))}
        </ul>
      ) : null}
      {feed.state === 'failed' ? <Failed title={t('list.failed')} error={feed.error} /> : null}
      {feed.state === 'listed' && messages.length === 0 && sending === null ? <Empty /> : null}
    </>
  );
}

function Empty() {
  const { t } = useTranslation('test-message');
  return (
    <div className="grid justify-items-center gap-2 rounded-card border border-dashed border-line-strong px-6 py-12 text-center">
      <Icon name="lucide:inbox" className="size-8 text-ink-muted" />
      <p className="font-semibold">{t('list.empty')}</p>
      <p className="text-ink-muted">{t('list.emptyHint')}</p>
    </div>
  );
}

function Failed({ title, error }: { title: string; error: MessageErrorCode }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const signIn = useSignInAddress();
  const className = buttonClass('secondary', 'small');
  const again = (
    <Link to={error === 'no-such-page' ? pathname : pathname + search} className={className}>
      {t(error === 'no-such-page' ? 'list.newest' : 'list.tryAgain')}
    </Link>
  );
  const toSignIn = (
    <a href={signIn} rel="nofollow" className={className}>
      {t('signedOut.signIn')}
    </a>
  );
  return (
    <Notice tone="danger" title={title} actions={error === 'signed-out' ? toSignIn : again}>
      {t(`error.${error}`)}
    </Notice>
  );
}

/** Links to older messages and back to the newest. Both lead to the top of the list. */
function Pages({ nextToken }: { nextToken: string | null }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const isOlder = new URLSearchParams(search).has('after');
  if (nextToken === null && !isOlder) return null;
  return (
    <nav aria-label={t('list.pages')} className="flex flex-wrap gap-3">
      {isOlder ? (
        <Link to={`${pathname}#messages`} className={buttonClass('secondary', 'small')}>
          {t('list.newest')}
        </Link>
      ) : null}
      {nextToken === null ? null : (
        <Link
          to={`${pathname}?${new URLSearchParams({ after: nextToken })}#messages`}
          className={buttonClass('secondary', 'small')}
        >
          {t('list.older')}
          <Icon name="lucide:arrow-right" />
        </Link>
      )}
    </nav>
  );
}

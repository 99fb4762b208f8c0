import { Link, useLocation, useNavigation, useRevalidator } from '@remix-run/react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { LiveNotice, LiveState } from './live/live-notices.tsx';
import { useKeptPosition } from './live/use-kept-position.ts';
import { useLiveMessages } from './live/use-live-messages.ts';
import { MessageError } from './message-error.tsx';
import { MessageItem, SendingItem } from './message-item.tsx';
import type { CallErrorCode, Message, MessageFeed, MessageOutcome } from './message-outcome.ts';
import { DELETE_PARAMETER, type Deletion, useDeletion } from './use-deletion.ts';
import { useNewMessages } from './use-new-messages.ts';

type MessageListProps = {
  feed: Exclude<MessageFeed, { state: 'signed-out' }>;
  /** Whether the messages are from an earlier load, because the last one failed. */
  isStale: boolean;
  /** Text of the message that is being sent, or null. */
  sending: string | null;
  /** The outcome of a form that was submitted without scripts. */
  documentOutcome: MessageOutcome | null;
};

const noMessages: readonly Message[] = [];

/** The messages, newest first, with errors, the empty state and links to other pages of messages. */
export function MessageList({ feed, isStale, sending, documentOutcome }: MessageListProps) {
  const { t } = useTranslation('test-message');
  const isOlder = new URLSearchParams(useLocation().search).has('after');
  const isLoading = useNavigation().state === 'loading';
  const deletion = useDeletion();
  const heading = useRef<HTMLHeadingElement>(null);
  const change = usePageChange(isOlder, heading);
  const isListed = feed.state === 'listed';
  const listed = isListed ? feed.messages : noMessages;
  const live = useLiveMessages({ isListed, listed, isOlder, sending, heading });
  const messages = live.messages.filter(({ id }) => !deletion.deleted.has(id));
  useKeptPosition(heading);
  const deletionError = useDeletionError({ feed, messages, failure: deletion.failure, documentOutcome });
  const isDeleted = documentOutcome?.type === 'deleted';
  return (
    <section id="messages" aria-labelledby="messages-heading" className="grid scroll-mt-24 grid-cols-1 gap-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="messages-heading" ref={heading} tabIndex={-1} className="text-subheading">
          {t('list.title')}
        </h2>
        <div role="status" className="flex items-center gap-3 text-sm text-ink-muted">
          {isLoading ? <span>{t('list.loading')}</span> : isDeleted ? <span>{t('list.deleted')}</span> : null}
          {change && !isLoading ? <span className="sr-only">{t(`list.${change}`)}</span> : null}
          <LiveState live={live} />
          <NewMessages feed={feed} isOlder={isOlder || live.isOpen} heading={heading} />
        </div>
      </div>
      <LiveNotice live={live} heading={heading} />
      {deletionError ? <MessageError title={t('list.deleteFailed')} error={deletionError} canReload /> : null}
      {isStale ? <MessageError title={t('list.stale')} error="offline" canReload /> : null}
      <div
        aria-busy={isLoading || undefined}
        className={`transition-opacity ${isLoading ? 'opacity-80' : ''}`}
      >
        <Items messages={messages} sending={sending} deletion={deletion} isLoaded={isListed} />
        {feed.state === 'failed' ? (
          <MessageError title={t('list.failed')} error={feed.error} canReload />
        ) : null}
      </div>
      <Pages nextToken={feed.state === 'listed' ? feed.nextToken : null} isOlder={isOlder} />
    </section>
  );
}

type ItemsProps = Pick<MessageListProps, 'sending'> & {
  messages: readonly Message[];
  deletion: Deletion;
  isLoaded: boolean;
};

/** The messages, or the empty state if they were loaded and there are none. */
function Items({ messages, sending, deletion, isLoaded }: ItemsProps) {
  if (messages.length === 0 && sending === null) {
    return isLoaded ? (
      <div className="grid justify-items-center gap-2 rounded-card border border-dashed border-line-strong px-6 py-12 text-center">
        <Empty />
      </div>
    ) : null;
  }
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers
    <ul role="list" className="grid grid-cols-1 gap-3">
      {sending === null ? null : <SendingItem text={sending} />}
      {messages.map((message) => (
        <MessageItem key={message.id} message={message} deletion={deletion} />
      ))}
    </ul>
  );
}

/**
 * Moves the focus to the heading when the page changes to older messages or back, because the used link may have
 * disappeared. Returns the key of the text that announces the change.
 */
function usePageChange(isOlder: boolean, heading: RefObject<HTMLElement>) {
  const { search } = useLocation();
  const after = new URLSearchParams(search).get('after');
  const shown = useRef(after);
  const [change, setChange] = useState<'shownOlder' | 'shownNewest' | null>(null);
  useEffect(() => {
    if (shown.current === after) return;
    shown.current = after;
    setChange(isOlder ? 'shownOlder' : 'shownNewest');
    // After a post from this page the focus is in the composer and moves to the new message.
    const { activeElement } = document;
    const isInList = document.getElementById('messages')?.contains(activeElement);
    if (isInList || activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [after, isOlder, heading]);
  return change;
}

/**
 * The error of a deletion whose message is not in the list: of a form without scripts, of a message that was deleted
 * elsewhere, or of an address with `DELETE_PARAMETER`.
 */
function useDeletionError({
  feed,
  messages,
  failure,
  documentOutcome,
}: {
  feed: MessageFeed;
  messages: readonly Message[];
  failure: { id: string; error: CallErrorCode } | null;
  documentOutcome: MessageOutcome | null;
}): CallErrorCode | null {
  const { search } = useLocation();
  if (failure) return messages.some(({ id }) => id === failure.id) ? null : failure.error;
  if (documentOutcome?.type === 'failed' && documentOutcome.intent === 'delete') return documentOutcome.error;
  const requestedId = new URLSearchParams(search).get(DELETE_PARAMETER);
  if (requestedId === null || feed.state !== 'listed') return null;
  const message = messages.find(({ id }) => id === requestedId);
  if (!message) return 'gone';
  return message.canDelete ? null : 'not-yours';
}

type NewMessagesProps = { feed: MessageFeed; isOlder: boolean; heading: RefObject<HTMLElement> };

/** A button that loads new messages, as soon as there are some. Afterwards the focus moves to the heading. */
function NewMessages({ feed, isOlder, heading }: NewMessagesProps) {
  const { t } = useTranslation('test-message');
  const { revalidate, state } = useRevalidator();
  const hasNew = useNewMessages(feed, { isOlder });
  const isRequested = useRef(false);
  useEffect(() => {
    if (hasNew || !isRequested.current) return;
    isRequested.current = false;
    heading.current?.focus({ preventScroll: true });
  }, [hasNew, heading]);
  if (!hasNew) return null;
  const show = () => {
    isRequested.current = true;
    revalidate();
  };
  return (
    <Button type="button" variant="secondary" size="small" busy={state === 'loading'} onClick={show}>
      {t('list.showNew')}
    </Button>
  );
}

function Empty() {
  const { t } = useTranslation('test-message');
  return (
    <>
      <Icon name="lucide:inbox" className="size-8 text-ink-muted" />
      <p className="font-semibold">{t('list.empty')}</p>
      <p className="text-ink-muted">{t('list.emptyHint')}</p>
    </>
  );
}

/** Links to older messages and back to the newest. Both lead to the top of the list. */
function Pages({ nextToken, isOlder }: { nextToken: string | null; isOlder: boolean }) {
  const { t } = useTranslation('test-message');
  const { pathname } = useLocation();
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
          <span>{t('list.older')}</span>
          <Icon name="lucide:arrow-right" />
        </Link>
      )}
    </nav>
  );
}

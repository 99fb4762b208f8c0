import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { Message } from '~/pages/test-message/message-outcome.ts';
import { Button } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { TimeAgo } from './time-ago.tsx';
import type { Deleting } from './use-deleting.ts';

const EXCERPT_LENGTH = 40;
const MAX_LINES = 10;

const itemClass =
  'grid gap-2 rounded-card border border-line bg-surface px-5 py-4 transition-colors duration-150';

/** A message that somebody posted. */
export function MessageItem({ message, deleting }: { message: Message; deleting: Deleting }) {
  const { t } = useTranslation('test-message');
  const isLeaving = deleting.id === message.id;
  return (
    <li
      className={`${itemClass} ${isLeaving ? 'border-dashed border-line-strong' : ''}`}
      aria-busy={isLeaving || undefined}
    >
      <Content text={message.content} />
      <div className="flex flex-wrap items-center gap-x-2 text-sm text-ink-muted">
        <span className={message.mine ? 'font-medium text-primary' : undefined}>
          {t(message.mine ? 'list.you' : 'list.somebody')}
        </span>
        <span aria-hidden="true">·</span>
        <TimeAgo time={message.createdAt} />
        {message.mine ? <DeleteForm message={message} deleting={deleting} /> : null}
      </div>
    </li>
  );
}

/** A message on its way, where it will stand. */
export function SendingItem({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  return (
    <li className={`${itemClass} border-dashed border-line-strong text-ink-muted`} aria-busy="true">
      <Content text={text} />
      <p className="flex min-h-9 items-center gap-2 text-sm">
        <Icon name="lucide:loader-circle" className="size-4 animate-spin" />
        {t('list.sending')}
      </p>
    </li>
  );
}

/**
 * Strangers' words: shown as text, in the direction that they have themselves, and in a frame that can be scrolled
 * when they are many short lines, so that no message pushes all the others away.
 */
function Content({ text }: { text: string }) {
  const isTall = text.split('\n').length > MAX_LINES;
  return (
    <p
      dir="auto"
      // What scrolls must be reachable by keyboard.
      tabIndex={isTall ? 0 : undefined}
      className={`wrap-anywhere whitespace-pre-wrap ${isTall ? 'max-h-72 overflow-y-auto' : ''}`}
    >
      {text}
    </p>
  );
}

function DeleteForm({ message, deleting }: { message: Message; deleting: Deleting }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  return (
    <deleting.Form method="post" action={pathname + search} onSubmit={deleting.onSubmit} className="ms-auto">
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={message.id} />
      <Button
        variant="quiet"
        size="small"
        busy={deleting.id === message.id}
        aria-label={t('list.deleteLabel', { text: excerpt(message.content) })}
      >
        {deleting.id === message.id ? null : <Icon name="lucide:trash" />}
        {t('list.delete')}
      </Button>
    </deleting.Form>
  );
}

/** The beginning of a text, set off so that its direction does not upset the words around it (UAX #9, isolates). */
function excerpt(text: string): string {
  const characters = [...text];
  const beginning = characters.slice(0, EXCERPT_LENGTH).join('').trim();
  return `\u2068${beginning}${characters.length > EXCERPT_LENGTH ? '…' : ''}\u2069`;
}

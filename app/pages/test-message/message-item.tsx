import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/ui/icon.tsx';
import { MessageAuthor } from './message/message-author.tsx';
import { MessageText } from './message/message-text.tsx';
import { MessageTime } from './message/message-time.tsx';
import { DeletedNotice, DeleteForm, DeletionConfirmation } from './message-deletion.tsx';
import { MessageError } from './message-error.tsx';
import type { Message } from './message-outcome.ts';
import { DELETE_PARAMETER, type Deletion } from './use-deletion.ts';

/** A new message scrolls below the header, the confirmation that it was posted, and the list's heading. */
const itemClass =
  'grid grid-cols-1 gap-2 rounded-card border bg-surface px-5 pt-4 pb-2 sm:px-7 scroll-mt-60 scroll-mb-6 transition-colors';

/** As high as a button, so that messages with and without one have the same height. */
const metaClass =
  'flex min-h-9 flex-wrap items-center gap-x-3 text-sm text-ink-muted sm:gap-x-2 pointer-coarse:min-h-11';

/** The id of a message's element, which fragments of addresses name. */
export const messageElementId = (id: string) => `message-${id}`;

/** A posted message, or the notice that it was deleted. Scripts move the focus to it. */
export function MessageItem({ message, deletion }: { message: Message; deletion: Deletion }) {
  const { search } = useLocation();
  const isConfirming = message.canDelete && new URLSearchParams(search).get(DELETE_PARAMETER) === message.id;
  const isUndoable = deletion.undoable === message.id;
  return (
    <li
      id={messageElementId(message.id)}
      tabIndex={-1}
      className={`${itemClass} ${isUndoable ? 'border-dashed border-line-strong' : 'border-line'}`}
    >
      {isUndoable ? (
        <DeletedNotice deletion={deletion} />
      ) : (
        <>
          <MessageText text={message.content} />
          {isConfirming ? <DeletionConfirmation message={message} /> : null}
          {isConfirming ? null : <MessageMeta message={message} deletion={deletion} />}
        </>
      )}
    </li>
  );
}

function MessageMeta({ message, deletion }: { message: Message; deletion: Deletion }) {
  const { t } = useTranslation('test-message');
  const { failure } = deletion;
  return (
    <>
      <div className={metaClass}>
        <MessageAuthor author={message.author} isMine={message.mine} />
        {/* Where the time may need a line of its own, the dot would end the line before. */}
        <span aria-hidden="true" className="max-sm:hidden">
          ·
        </span>
        <MessageTime time={message.createdAt} />
        {message.canDelete ? <DeleteForm message={message} deletion={deletion} /> : null}
      </div>
      {failure?.id === message.id ? (
        <div className="pb-2">
          <MessageError title={t('list.deleteFailed')} error={failure.error} />
        </div>
      ) : null}
    </>
  );
}

/** A message that is being sent, at its future position in the list. */
export function SendingItem({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  return (
    <li className={`${itemClass} border-dashed border-line-strong text-ink-muted`} aria-busy="true">
      <MessageText text={text} />
      <p className={metaClass}>
        <Icon name="lucide:loader-circle" className="size-4 animate-spin" />
        <span>{t('list.sending')}</span>
      </p>
    </li>
  );
}

/** The parts of a message that delete it: the button, the notice with "Undo", and the confirmation without scripts. */
import { Link, useLocation } from '@remix-run/react';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import type { Message } from './message-outcome.ts';
import { DELETE_PARAMETER, type Deletion } from './use-deletion.ts';

const EXCERPT_LENGTH = 40;

/** The button that deletes a message. Without scripts the form leads to the page that asks for a confirmation. */
export function DeleteForm({ message, deletion }: { message: Message; deletion: Deletion }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const after = new URLSearchParams(search).get('after');
  return (
    <form
      method="get"
      action={`${pathname}#message-${message.id}`}
      onSubmit={(event) => {
        event.preventDefault();
        deletion.start(message);
      }}
      className="ms-auto -me-3"
    >
      {after === null ? null : <input type="hidden" name="after" value={after} />}
      <input type="hidden" name={DELETE_PARAMETER} value={message.id} />
      <Button
        variant="quiet"
        size="small"
        icon="lucide:trash"
        aria-label={t('list.deleteLabel', { text: excerpt(message.content) })}
      >
        {t('list.delete')}
      </Button>
    </form>
  );
}

/** The notice in place of a deleted message. The focus moves to "Undo", whose description is the text. */
export function DeletedNotice({ deletion }: { deletion: Deletion }) {
  const { t } = useTranslation('test-message');
  const textId = useId();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.querySelector('button')?.focus({ preventScroll: true }), []);
  return (
    <div ref={notice} className="-me-3 flex flex-wrap items-center gap-y-1 pb-2">
      <p id={textId} className="me-auto pe-4">
        {t('list.deleted')}
      </p>
      <div className="flex gap-1">
        <Button
          type="button"
          variant="secondary"
          size="small"
          icon="lucide:undo-2"
          aria-describedby={textId}
          onClick={deletion.undo}
        >
          {t('list.undo')}
        </Button>
        <Button type="button" variant="quiet" size="small" onClick={deletion.finish}>
          {t('list.dismiss')}
        </Button>
      </div>
    </div>
  );
}

/** The question whether to delete a message. Both of its controls lead to the page without the question. */
export function DeletionConfirmation({ message: { id, mine } }: { message: Message }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const parameters = new URLSearchParams(search);
  parameters.delete(DELETE_PARAMETER);
  const address = parameters.toString() === '' ? pathname : `${pathname}?${parameters}`;
  return (
    // A plain form: the response redirects to the address without the parameter.
    <form method="post" action={address} className="flex flex-wrap items-center gap-x-3 gap-y-1 pb-2">
      <input type="hidden" name="intent" value="delete" />
      {mine ? null : <input type="hidden" name="others" value="true" />}
      <input type="hidden" name="id" value={id} />
      <p className="me-auto font-semibold">{t(mine ? 'list.confirm' : 'list.confirmOthers')}</p>
      <div className="flex gap-3">
        <Button variant="danger" size="small">
          {t('list.delete')}
        </Button>
        <Link to={`${address}#message-${id}`} className={buttonClass('secondary', 'small')}>
          {t('list.cancel')}
        </Link>
      </div>
    </form>
  );
}

/** The beginning of a text, isolated so that its direction does not affect the text around it (Unicode annex 9). */
function excerpt(text: string): string {
  const characters = [...text];
  const beginning = characters.slice(0, EXCERPT_LENGTH).join('').trim();
  return `\u2068${beginning}${characters.length > EXCERPT_LENGTH ? '…' : ''}\u2069`;
}

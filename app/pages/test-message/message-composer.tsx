import { Link, useLocation } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/ui/button.tsx';
import { controlClass, Field, type FieldControl } from '../../components/ui/field.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import { useMounted } from '../../components/ui/use-mounted.ts';
import { useOnline } from '../../components/ui/use-online.ts';
import { contentLength, MAX_CONTENT_LENGTH } from './message/message-content.ts';
import { MessageError } from './message-error.tsx';
import { isTextError } from './message-outcome.ts';
import { DRAFT_FIELD, type Posting } from './use-posting.ts';

/** Milliseconds without a keystroke after which screen readers announce the character count. */
const ANNOUNCE_AFTER_MS = 1200;

/**
 * The form that posts a message. It has no `maxlength`, because browsers count UTF-16 units instead of code points, and
 * truncate pasted text.
 */
export function MessageComposer({ posting }: { posting: Posting }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const { draft, failure, isSending, Form, onSubmit } = posting;
  const isPosted = posting.success !== null && !isSending && draft.text === '';
  const textError = failure && isTextError(failure.error) ? failure.error : null;
  return (
    <Form method="post" action={pathname} noValidate onSubmit={onSubmit} className="grid gap-4">
      <Field
        label={t('compose.label')}
        hint={<CharacterCount text={draft.text} />}
        error={textError ? t(`error.${textError}`, { count: MAX_CONTENT_LENGTH }) : null}
      >
        {(control) => <DraftField {...control} draft={draft} isRejected={textError !== null} />}
      </Field>
      <CharacterCountAnnouncement text={draft.text} />
      {failure && !isTextError(failure.error) ? (
        <MessageError
          title={t('compose.failed')}
          error={failure.error}
          retryAfter={failure.retryAfter}
          onSignIn={draft.saveForSignIn}
        />
      ) : null}
      <OfflineNotice />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button icon="lucide:send" busy={isSending}>
          {t(isSending ? 'compose.sending' : 'compose.send')}
        </Button>
        <p role="status" id="outcome" className="text-secondary-ink">
          {isPosted ? t('compose.sent') : null}
        </p>
        {isPosted ? (
          <Link to={{ search, hash: 'timing-heading' }} className="text-sm lg:hidden">
            {t('compose.seeTiming')}
          </Link>
        ) : null}
      </div>
    </Form>
  );
}

type DraftFieldProps = FieldControl & { draft: Posting['draft']; isRejected: boolean };

/** `isRejected` is true on the page that the server sends for a text that it did not accept. */
function DraftField({ draft, isRejected, ...control }: DraftFieldProps) {
  return (
    <textarea
      {...control}
      aria-invalid={control['aria-invalid'] || contentLength(draft.text) > MAX_CONTENT_LENGTH || undefined}
      ref={draft.field}
      name={DRAFT_FIELD}
      value={draft.text}
      onChange={(event) => draft.change(event.currentTarget.value)}
      required
      rows={4}
      dir="auto"
      // biome-ignore lint/a11y/noAutofocus: the page was loaded again because of this field
      autoFocus={isRejected}
      // The visitor may have typed before hydration.
      suppressHydrationWarning
      className={`${controlClass} min-h-28 resize-y [unicode-bidi:plaintext]`}
    />
  );
}

function OfflineNotice() {
  const { t } = useTranslation('test-message');
  return useOnline() ? null : (
    <Notice tone="caution" title={t('offline.title')}>
      {t('offline.description')}
    </Notice>
  );
}

/** The number of characters left. Before hydration it is the maximum. */
function CharacterCount({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  const remaining = useRemainingText(text);
  if (!useMounted()) return <span>{t('compose.limit', { count: MAX_CONTENT_LENGTH })}</span>;
  const isTooLong = contentLength(text) > MAX_CONTENT_LENGTH;
  return <span className={isTooLong ? 'font-medium text-danger' : undefined}>{remaining}</span>;
}

/** The same for screen readers, announced after a pause in typing. */
function CharacterCountAnnouncement({ text }: { text: string }) {
  const remaining = useRemainingText(text);
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAnnouncement(text === '' ? '' : remaining), ANNOUNCE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, remaining]);
  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {announcement}
    </p>
  );
}

function useRemainingText(text: string): string {
  const { t } = useTranslation('test-message');
  const left = MAX_CONTENT_LENGTH - contentLength(text);
  return left < 0 ? t('compose.tooMany', { count: -left }) : t('compose.charactersLeft', { count: left });
}

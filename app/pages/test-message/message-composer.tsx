import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { MessageErrorCode } from '~/pages/test-message/message-outcome.ts';
import { useSignInAddress } from '../../components/site/return-to-field.tsx';
import { Button, buttonClass } from '../../components/ui/button.tsx';
import { controlClass, Field } from '../../components/ui/field.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import { useOnline } from '../../components/ui/use-online.ts';
import { CharacterCount, SpokenCharacterCount } from './character-count.tsx';
import { contentLength, MAX_CONTENT_LENGTH } from './message-content.ts';
import { DRAFT_FIELD } from './use-draft.ts';
import type { Posting } from './use-posting.ts';

/** What is wrong with the text itself is said at the field, everything else beside it. */
const aboutText: readonly MessageErrorCode[] = ['empty', 'too-long', 'rejected'];

/** The form to post a message. It has no `maxlength`: browsers count otherwise than the data API, and cut what is pasted. */
export function MessageComposer({ posting }: { posting: Posting }) {
  const { t } = useTranslation('test-message');
  const { pathname } = useLocation();
  const { draft, failure, isSending, Form, onSubmit } = posting;
  const textError = failure && aboutText.includes(failure.error) ? failure.error : null;
  return (
    <Form method="post" action={pathname} noValidate onSubmit={onSubmit} className="grid gap-4">
      <Field
        label={t('compose.label')}
        hint={<CharacterCount text={draft.text} />}
        error={textError ? t(`error.${textError}`, { count: MAX_CONTENT_LENGTH }) : null}
      >
        {(control) => (
          <textarea
            {...control}
            aria-invalid={
              control['aria-invalid'] || contentLength(draft.text) > MAX_CONTENT_LENGTH || undefined
            }
            ref={draft.field}
            name={DRAFT_FIELD}
            value={draft.text}
            onChange={(event) => draft.change(event.currentTarget.value)}
            required
            rows={4}
            dir="auto"
            // biome-ignore lint/a11y/noAutofocus: the page comes back because of this field
            autoFocus={textError !== null}
            // What was typed before hydration is kept.
            suppressHydrationWarning
            className={`${controlClass} min-h-28 resize-y`}
          />
        )}
      </Field>
      <SpokenCharacterCount text={draft.text} />
      {failure && !textError ? <PostingFailed error={failure.error} onLeave={draft.carry} /> : null}
      <OfflineNotice />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button busy={isSending}>
          {isSending ? null : <Icon name="lucide:send" />}
          {t(isSending ? 'compose.sending' : 'compose.send')}
        </Button>
        <p role="status" id="outcome" className="text-secondary-ink">
          {posting.success && !isSending && draft.text === '' ? t('compose.sent') : null}
        </p>
      </div>
    </Form>
  );
}

function PostingFailed({ error, onLeave }: { error: MessageErrorCode; onLeave: () => void }) {
  const { t } = useTranslation('test-message');
  const signIn = useSignInAddress();
  const action =
    error === 'signed-out' ? (
      <a href={signIn} rel="nofollow" onClick={onLeave} className={buttonClass('primary', 'small')}>
        {t('signedOut.signIn')}
      </a>
    ) : null;
  return (
    <Notice tone="danger" title={t('compose.failed')} actions={action}>
      {t(`error.${error}`)}
    </Notice>
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

import { useFetcher } from '@remix-run/react';
import { type FormEvent, useEffect, useRef } from 'react';
import type { MessageFailure, MessageOutcome, MessageSuccess } from '~/pages/test-message/message-outcome.ts';
import { checkContent, normalizeContent } from './message-content.ts';
import { DRAFT_FIELD, useDraft } from './use-draft.ts';

export type Posting = ReturnType<typeof usePosting>;

/**
 * Posting a message. `answered` is what the server said when it was done without scripts: the form is the same one.
 * What is being sent leaves the field at once and shows as `sending`; it is given back should it come to nothing.
 */
export function usePosting(answered: MessageOutcome | MessageSuccess | null) {
  const fetcher = useFetcher<MessageOutcome>();
  const isSending = fetcher.state !== 'idle';
  const outcome = fetcher.data ?? answered;
  const failure = failedPost(outcome);
  const draft = useDraft(failedPost(answered)?.content ?? '');
  const returned = useRef<MessageOutcome>();

  const { giveBack, field } = draft;
  useEffect(() => {
    const failed = failedPost(fetcher.data ?? null);
    if (!failed || returned.current === failed) return;
    returned.current = failed;
    giveBack(failed.content);
    field.current?.focus();
  }, [fetcher.data, giveBack, field]);

  return {
    draft,
    Form: fetcher.Form,
    isSending,
    failure: isSending ? null : failure,
    success: outcome?.type === 'posted' ? outcome : null,
    sending: isSending ? contentOf(fetcher.formData) : null,
    /** For the form: one message at a time. */
    onSubmit(event: FormEvent) {
      if (isSending) event.preventDefault();
      else if (checkContent(draft.text) === null) draft.change('');
    },
  };
}

function failedPost(outcome: MessageOutcome | null): Extract<MessageFailure, { intent: 'post' }> | null {
  return outcome?.type === 'failed' && outcome.intent === 'post' ? outcome : null;
}

/** The message under way as it will stand in the list; null for one that will be refused. */
function contentOf(form: FormData | undefined): string | null {
  const content = normalizeContent(String(form?.get(DRAFT_FIELD) ?? ''));
  return checkContent(content) === null ? content : null;
}

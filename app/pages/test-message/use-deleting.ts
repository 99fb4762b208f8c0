import { useFetcher } from '@remix-run/react';
import { type FormEvent, type RefObject, useEffect } from 'react';
import type { MessageErrorCode, MessageOutcome } from '~/pages/test-message/message-outcome.ts';

export type Deleting = ReturnType<typeof useDeleting>;

/**
 * Deleting own messages, one at a time. Once one is gone the focus, which was on its button, goes to `heading`.
 * `answered` is what the server said when it was done without scripts.
 */
export function useDeleting(answered: MessageOutcome | null, heading: RefObject<HTMLElement>) {
  const fetcher = useFetcher<MessageOutcome>();
  const isDeleting = fetcher.state !== 'idle';
  const outcome = fetcher.data ?? answered;

  useEffect(() => {
    if (fetcher.data?.type === 'deleted') heading.current?.focus();
  }, [fetcher.data, heading]);

  return {
    Form: fetcher.Form,
    /** The message that is being deleted. */
    id: isDeleting ? (fetcher.formData?.get('id') ?? null) : null,
    error: isDeleting ? null : errorOf(outcome),
    isDone: !isDeleting && outcome?.type === 'deleted',
    onSubmit(event: FormEvent) {
      if (isDeleting) event.preventDefault();
    },
  };
}

function errorOf(outcome: MessageOutcome | null): MessageErrorCode | null {
  return outcome?.type === 'failed' && outcome.intent === 'delete' ? outcome.error : null;
}

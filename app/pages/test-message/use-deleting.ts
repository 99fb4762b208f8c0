import { useFetcher } from '@remix-run/react';
import { type FormEvent, type RefObject, useEffect } from 'react';
import type { MessageErrorCode, MessageOutcome } from './message-outcome.ts';

export type Deleting = ReturnType<typeof useDeleting>;

/**
 * The state of deleting the visitor's messages, one at a time. After a deletion, which removes the focused button, the
 * focus moves to `heading`. `documentOutcome` is the outcome of a form that was submitted without scripts.
 */
export function useDeleting(documentOutcome: MessageOutcome | null, heading: RefObject<HTMLElement>) {
  const fetcher = useFetcher<MessageOutcome>();
  const isDeleting = fetcher.state !== 'idle';
  const outcome = fetcher.data ?? documentOutcome;

  useEffect(() => {
    if (fetcher.data?.type === 'deleted') heading.current?.focus();
  }, [fetcher.data, heading]);

  return {
    Form: fetcher.Form,
    /** The id of the message that is being deleted, or null. */
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

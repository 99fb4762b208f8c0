import { useFetcher } from '@remix-run/react';
import { type FormEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { messageDraft, signInDraft } from '~/client/browser-services.ts';
import { checkContent, normalizeContent } from './message/message-content.ts';
import type { MessageFailure, MessageFeed, MessageOutcome, MessageSuccess } from './message-outcome.ts';

export const DRAFT_FIELD = 'content';

export type Posting = ReturnType<typeof usePosting>;

/**
 * The state of posting a message. `documentOutcome` is the outcome of a form that was submitted without scripts. The
 * text being sent leaves the field immediately and is shown as `sending`. It returns to the field if posting fails, also
 * when the page was reloaded meanwhile and the list of messages, `feed`, does not have it.
 */
export function usePosting(documentOutcome: MessageOutcome | MessageSuccess | null, feed: MessageFeed) {
  const fetcher = useFetcher<MessageOutcome>();
  const isSending = fetcher.state !== 'idle';
  const outcome = fetcher.data ?? documentOutcome;
  const failure = failedPost(outcome);
  const draft = useDraft(failedPost(documentOutcome)?.content ?? '', feed);
  const handledFailure = useRef<MessageOutcome>();

  const { restore, field } = draft;
  useEffect(() => {
    const failed = failedPost(fetcher.data ?? null);
    if (!failed || handledFailure.current === failed) return;
    handledFailure.current = failed;
    restore(failed.content);
    field.current?.focus();
  }, [fetcher.data, restore, field]);

  const sent = isSending ? validContent(fetcher.formData) : null;
  const sending = useIsInList(sent, feed) ? null : sent;
  useEffect(() => {
    if (sending === null) return;
    const save = () => messageDraft.save(sending);
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      messageDraft.save('');
    };
  }, [sending]);

  return {
    draft,
    Form: fetcher.Form,
    isSending,
    failure: isSending ? null : failure,
    success: outcome?.type === 'posted' ? outcome : null,
    /** The message that was posted since the document was loaded. */
    postedHere: fetcher.data?.type === 'posted' ? fetcher.data : null,
    sending,
    /** Submits one message at a time. */
    onSubmit(event: FormEvent) {
      if (isSending) event.preventDefault();
      else if (checkContent(draft.text) === null) draft.change('');
    },
  };
}

/** Whether `feed`, loaded again for another reason, has the message that is being sent. */
function useIsInList(sending: string | null, feed: MessageFeed): boolean {
  const feedBefore = useRef(feed);
  if (sending === null) feedBefore.current = feed;
  return sending !== null && isListed(sending, feed) && !isListed(sending, feedBefore.current);
}

/**
 * Scrolls the list to the message that was posted, and moves the focus to it. A visitor who has begun to write the next
 * message stays in the field. Without scripts the fragment of the address leads to the message.
 */
export function useNewMessageInView({ draft, postedHere }: Posting, feed: MessageFeed): void {
  const shown = useRef<MessageSuccess | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the message appears with a new feed
  useEffect(() => {
    if (!postedHere || shown.current === postedHere) return;
    const item = document.getElementById(`message-${postedHere.id}`);
    if (!item) return;
    shown.current = postedHere;
    const field = draft.field.current;
    if (field?.value !== '') return;
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
    item.scrollIntoView({ block: 'nearest', behavior });
    if (document.activeElement !== field) item.focus({ preventScroll: true });
  }, [postedHere, feed]);
}

type Draft = {
  text: string;
  field: RefObject<HTMLTextAreaElement>;
  change(text: string): void;
  /** Puts text that could not be sent before the text that was typed since. */
  restore(text: string): void;
  /** Saves the text for the time of a sign-in. */
  saveForSignIn(): void;
};

/**
 * The text that the visitor is writing. It starts with text typed before hydration, or else with `initial`, or else
 * with text saved before a sign-in or before a visit to another page, or with a message that was not posted.
 */
function useDraft(initial: string, feed: MessageFeed): Draft {
  const [text, setText] = useState(() => textBeforeHydration() ?? initial);
  const field = useRef<HTMLTextAreaElement>(null);
  const feedAtStart = useRef(feed);

  const restore = useCallback((returned: string) => {
    setText((current) => (current === '' || current === returned ? returned : `${returned}\n${current}`));
  }, []);

  useEffect(() => {
    const kept = messageDraft.consume();
    const saved = signInDraft.consume() || (isListed(kept, feedAtStart.current) ? '' : kept);
    setText((current) => (field.current?.value ?? current) || saved);
  }, []);

  const latest = useRef(text);
  latest.current = text;
  // When a document is left, `unsavedText` saves the field.
  useEffect(() => () => messageDraft.save(latest.current), []);

  return { text, field, change: setText, restore, saveForSignIn: () => signInDraft.save(text) };
}

/** Whether the visitor has posted this text, as far as the list shows. */
function isListed(text: string, feed: MessageFeed): boolean {
  return feed.state === 'listed' && feed.messages.some(({ mine, content }) => mine && content === text);
}

/** The content of the field that the server rendered, if there is one. */
function textBeforeHydration(): string | null {
  if (typeof document === 'undefined') return null;
  return document.querySelector<HTMLTextAreaElement>(`textarea[name="${DRAFT_FIELD}"]`)?.value ?? null;
}

function failedPost(outcome: MessageOutcome | null): Extract<MessageFailure, { intent: 'post' }> | null {
  return outcome?.type === 'failed' && outcome.intent === 'post' ? outcome : null;
}

/** The content of a form as the list will show it. Null for content that the server will reject. */
function validContent(form: FormData | undefined): string | null {
  const content = normalizeContent(String(form?.get(DRAFT_FIELD) ?? ''));
  return checkContent(content) === null ? content : null;
}

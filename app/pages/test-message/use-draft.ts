import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { consumeSignInDraft, saveSignInDraft } from '~/client/tab-state/sign-in-draft.ts';

export type Draft = {
  text: string;
  field: RefObject<HTMLTextAreaElement>;
  change(text: string): void;
  /** Puts a text back that could not be sent, before what has been typed since. */
  giveBack(text: string): void;
  /** Takes the text along to the hosted login and back. */
  carry(): void;
};

export const DRAFT_FIELD = 'content';

/**
 * What the visitor is writing. It starts with `initial`, with what was typed before this script ran, or with what was
 * carried over a sign-in; none of them is ever lost to another.
 */
export function useDraft(initial: string): Draft {
  const [text, setText] = useState(() => typedBeforeHydration() ?? initial);
  const field = useRef<HTMLTextAreaElement>(null);

  const giveBack = useCallback((returned: string) => {
    setText((current) => (current === '' || current === returned ? returned : `${returned}\n${current}`));
  }, []);

  useEffect(() => {
    const carried = consumeSignInDraft();
    setText((current) => (field.current?.value ?? current) || carried);
  }, []);

  return { text, field, change: setText, giveBack, carry: () => saveSignInDraft(text) };
}

/** Before hydration the field is there already, and somebody may have used it. */
function typedBeforeHydration(): string | null {
  if (typeof document === 'undefined') return null;
  return document.querySelector<HTMLTextAreaElement>(`textarea[name="${DRAFT_FIELD}"]`)?.value ?? null;
}

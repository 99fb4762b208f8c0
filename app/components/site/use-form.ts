import { useActionData, useFetcher } from '@remix-run/react';
import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import type { FormFailure, FormOutcome } from '~/forms/form-outcome.ts';

export type FormState = ReturnType<typeof useForm>;

type FormOptions = {
  /** The notice in the page's data: without scripts the page is loaded again after a success. */
  notice?: string | null;
  /** Where a page has several forms: the value of the field `intent` in this one. */
  intent?: string;
  /** What the controls have at first, by name; `on` for a checkbox. */
  values?: Readonly<Record<string, string>>;
};

/**
 * The state of a form. The action of its page is made by `formAction`, and its `clientAction` is `formClientAction`. What was
 * typed stays in the fields until the form succeeds. One submission is sent at a time.
 */
export function useForm({ notice = null, intent, values = {} }: FormOptions = {}) {
  const fetcher = useFetcher<FormOutcome>();
  const fromDocument = useActionData<FormOutcome>();
  const form = useRef<HTMLFormElement>(null);
  const isSending = fetcher.state !== 'idle';
  const documentFailure = failureOf(fromDocument, intent);
  const failure = isSending ? null : fetcher.data ? failureOf(fetcher.data) : documentFailure;
  const [firstInvalid] = Object.keys(documentFailure?.errors ?? {});
  const shown = documentFailure?.values ?? values;
  useOutcome(isSending ? undefined : fetcher.data, form);
  return {
    Form: fetcher.Form,
    /** Attributes of the form. */
    props: {
      ref: form,
      method: 'post' as const,
      noValidate: true,
      onSubmit(event: FormEvent) {
        if (isSending) event.preventDefault();
      },
    },
    /** Attributes of a control: its name, the text that comes back with a document, and the focus at the first error. */
    field: (name: string) => ({
      name,
      defaultValue: shown[name] ?? '',
      autoFocus: name === firstInvalid,
    }),
    /** Attributes of a checkbox. */
    checkbox: (name: string) => ({ name, defaultChecked: shown[name] === 'on' }),
    /** The code of a field's error, or null. */
    errorOf: (name: string) => failure?.errors[name] ?? null,
    refusal: failure?.refusal ?? null,
    /** Whether the outcome came with the document. */
    isFromDocument: fetcher.data === undefined,
    isSending,
    /** Which notice the page shows after a success, or null. */
    notice: fetcher.data ? noticeOf(fetcher.data) : notice,
  };
}

/** Empties the fields after a success, and moves the focus to the first invalid one after a failure. */
function useOutcome(outcome: FormOutcome | undefined, form: RefObject<HTMLFormElement>): void {
  useEffect(() => {
    if (outcome?.type === 'done') form.current?.reset();
    else if (outcome) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [outcome, form]);
}

function failureOf(outcome: FormOutcome | undefined, intent?: string): FormFailure | null {
  if (outcome?.type !== 'failed') return null;
  return intent === undefined || outcome.values.intent === intent ? outcome : null;
}

function noticeOf(outcome: FormOutcome): string | null {
  return outcome.type === 'done' ? outcome.notice : null;
}

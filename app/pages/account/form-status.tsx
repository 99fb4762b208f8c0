import { type ReactNode, useEffect, useRef } from 'react';
import type { FormState } from '../../components/site/use-form.ts';

/** What a form says after a success. It gets the focus with its document, and where the button that was used is gone. */
export function FormStatus({ form, children }: { form: FormState; children: ReactNode }) {
  const status = useRef<HTMLParagraphElement>(null);
  const isShown = Boolean(children);
  useEffect(() => {
    if (isShown && document.activeElement === document.body) status.current?.focus({ preventScroll: true });
  }, [isShown]);
  return (
    <p
      ref={status}
      role="status"
      tabIndex={isShown ? -1 : undefined}
      // biome-ignore lint/a11y/noAutofocus: it is the result of what the visitor just did
      autoFocus={isShown && form.isFromDocument}
      className="text-secondary-ink empty:hidden"
    >
      {children}
    </p>
  );
}

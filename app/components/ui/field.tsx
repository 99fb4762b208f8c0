import { type ReactNode, useId } from 'react';
import { Icon } from './icon.tsx';

/** Attributes that connect a control with its label, hint and error. Spread them onto the control. */
export type FieldControl = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** The error message, or null. Screen readers announce it when it appears. */
  error?: ReactNode;
  children: (control: FieldControl) => ReactNode;
};

/** A form control with its label above, and its hint and error below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const hintId = hint ? `${id}hint` : null;
  const errorId = error ? `${id}error` : null;
  const describedBy = [errorId, hintId].filter(Boolean).join(' ');
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {errorId ? (
        <p id={errorId} role="alert" className="flex items-start gap-1.5 text-sm font-medium text-danger">
          <Icon name="lucide:circle-alert" className="mt-[0.2em] size-[1.15em]" />
          <span>{error}</span>
        </p>
      ) : null}
      {hintId ? (
        <p id={hintId} className="text-sm text-ink-muted">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** The classes of text inputs, text areas and selects. */
export const controlClass =
  'w-full min-h-11 rounded-control border border-line-strong bg-surface px-3.5 py-2 text-ink ' +
  'placeholder:text-ink-muted hover:border-primary ' +
  'aria-invalid:border-danger disabled:cursor-not-allowed disabled:opacity-50';

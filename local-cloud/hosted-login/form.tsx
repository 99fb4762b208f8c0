import type { ReactNode } from 'react';
import type { MessageKey } from './messages.ts';
import { CSRF_FIELD, type Visit } from './visit.ts';

/** What is wrong with a form that was sent: with one of its fields, or with all of it. */
export type FormError = { field: 'email' | 'password' | 'code' | null; message: string };

type FormProps = {
  visit: Visit;
  /** The page's path, which answers the form. */
  action: string;
  error: FormError | null;
  notice?: string | null;
  submit: string;
  children: ReactNode;
  /** A second button after the first. */
  secondary?: ReactNode;
};

/** A form with its message, its fields and its button. */
export function Form({ visit, action, error, notice, submit, children, secondary }: FormProps) {
  return (
    <form method="post" action={visit.link(action)} noValidate>
      {error?.field === null && (
        <p className="message error" role="alert">
          {error.message}
        </p>
      )}
      {notice && !error && (
        <p className="message" role="status">
          {notice}
        </p>
      )}
      <input type="hidden" name={CSRF_FIELD} value={visit.visitorId} />
      {children}
      <button type="submit" className="primary">
        {submit}
      </button>
      {secondary}
    </form>
  );
}

type FieldProps = {
  visit: Visit;
  error: FormError | null;
  /** Whether it is the first one to fill in. */
  first?: boolean;
};

/** The e-mail address, with what was typed before or what the site already knows. */
export function EmailField({ visit, error, first = false }: FieldProps) {
  const value = visit.field('email') || (visit.authorization.loginHint ?? '');
  return (
    <Field
      name="email"
      label={visit.t('email')}
      error={error}
      autoFocus={first && value === '' && !error}
      input={{ type: 'email', autoComplete: 'username', inputMode: 'email', defaultValue: value }}
    />
  );
}

/** A password to sign in with, or a new one. */
export function PasswordField({
  visit,
  error,
  kind,
  hint,
}: FieldProps & { kind: 'current' | 'new'; hint?: string }) {
  const label: MessageKey = kind === 'new' ? 'newPassword' : 'password';
  return (
    <Field
      name="password"
      label={visit.t(label)}
      error={error}
      {...(hint === undefined ? {} : { hint })}
      input={{ type: 'password', autoComplete: `${kind}-password` }}
    />
  );
}

/** The six digits of a mail. */
export function CodeField({ visit, error, first = false }: FieldProps) {
  return (
    <Field
      name="code"
      label={visit.t('code')}
      error={error}
      autoFocus={first && !error}
      input={{
        type: 'text',
        className: 'code',
        autoComplete: 'one-time-code',
        inputMode: 'numeric',
        maxLength: 12,
        defaultValue: error?.field === 'code' ? visit.field('code') : '',
      }}
    />
  );
}

type InputProps = {
  name: NonNullable<FormError['field']>;
  label: string;
  hint?: string;
  error: FormError | null;
  autoFocus?: boolean;
  input: React.InputHTMLAttributes<HTMLInputElement>;
};

/** A labelled input. The one with the error gets the focus. */
function Field({ name, label, hint, error, autoFocus = false, input }: InputProps) {
  const message = error?.field === name ? error.message : null;
  const described = [message ? `${name}-error` : null, hint ? `${name}-hint` : null]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input
        {...input}
        id={name}
        name={name}
        required
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={message ? true : undefined}
        aria-describedby={described || undefined}
        // biome-ignore lint/a11y/noAutofocus: a page with one task, and the only way without a script to lead to an error
        autoFocus={autoFocus || message !== null}
      />
      {message && (
        <p className="field-error" id={`${name}-error`}>
          {message}
        </p>
      )}
      {hint && (
        <p className="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

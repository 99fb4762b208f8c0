import type { ReactNode } from 'react';
import { MIN_PASSWORD_LENGTH } from '../user-pool/passwords.ts';
import type { MessageKey } from './messages.ts';
import { CSRF_FIELD, type Visit } from './visit.ts';

export type FieldName = 'email' | 'password' | 'code';

/** What is wrong with a form that was sent: with one of its fields, or with all of it. */
export type FormError = { field: FieldName | null; message: string };

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
  focus: FieldName;
};

/** Which of a form's fields has the focus: the one with the error, else the first that is empty. */
export function focusOf(
  visit: Visit,
  error: FormError | null,
  fields: [FieldName, ...FieldName[]],
): FieldName {
  if (error?.field) return error.field;
  return fields.find((name) => name !== 'email' || emailOf(visit) === '') ?? fields[0];
}

/** The e-mail address, with what was typed before or what the site already knows. */
export function EmailField({ visit, error, focus }: FieldProps) {
  return (
    <Field
      name="email"
      label={visit.t('email')}
      error={error}
      focus={focus}
      input={{ type: 'email', autoComplete: 'username', inputMode: 'email', defaultValue: emailOf(visit) }}
    />
  );
}

function emailOf(visit: Visit): string {
  return visit.field('email') || (visit.authorization.loginHint ?? '');
}

/** The password to sign in with. */
export function CurrentPasswordField({ visit, error, focus }: FieldProps) {
  return (
    <Field
      name="password"
      label={visit.t('password')}
      error={error}
      focus={focus}
      input={{ type: 'password', autoComplete: 'current-password' }}
    />
  );
}

/** A password to be, with the policy beside it. */
export function NewPasswordField({ visit, error, focus, label }: FieldProps & { label: MessageKey }) {
  return (
    <Field
      name="password"
      label={visit.t(label)}
      hint={visit.t('passwordHint', { count: MIN_PASSWORD_LENGTH })}
      error={error}
      focus={focus}
      input={{ type: 'password', autoComplete: 'new-password' }}
    />
  );
}

/** The six digits of a mail. */
export function CodeField({ visit, error, focus }: FieldProps) {
  return (
    <Field
      name="code"
      label={visit.t('code')}
      error={error}
      focus={focus}
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
  name: FieldName;
  label: string;
  hint?: string;
  error: FormError | null;
  focus: FieldName;
  input: React.InputHTMLAttributes<HTMLInputElement>;
};

/** A labelled input. What is wrong with it stands in the place of its hint. */
function Field({ name, label, hint, error, focus, input }: InputProps) {
  const message = error?.field === name ? error.message : null;
  const note = message ?? hint;
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
        aria-invalid={message !== null ? true : undefined}
        aria-describedby={note ? `${name}-note` : undefined}
        // biome-ignore lint/a11y/noAutofocus: a page with one task, and the only way without a script to lead to an error
        autoFocus={focus === name}
      />
      {note && (
        <p className={message === null ? 'hint' : 'field-error'} id={`${name}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}

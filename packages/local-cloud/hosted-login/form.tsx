import type { ReactNode } from 'react';
import { MIN_PASSWORD_LENGTH } from '../user-pool/passwords.ts';
import type { FieldName, FormError } from './form-errors.ts';
import type { MessageKey } from './messages.ts';
import { CSRF_FIELD, type PageContext } from './page-context.ts';

type FormProps = {
  context: PageContext;
  /** The path that handles the form. */
  action: string;
  error: FormError | null;
  notice?: string | null;
  submitLabel: string;
  children: ReactNode;
  /** Shown after the submit button. */
  secondary?: ReactNode;
};

/** A form with its error or notice, its fields, its CSRF token and its submit button. */
export function Form({ context, action, error, notice, submitLabel, children, secondary }: FormProps) {
  return (
    <form method="post" action={context.link(action)} noValidate>
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
      <input type="hidden" name={CSRF_FIELD} value={context.visitorId} />
      {children}
      <button type="submit" className="primary">
        {submitLabel}
      </button>
      {secondary}
    </form>
  );
}

type FieldProps = {
  context: PageContext;
  error: FormError | null;
  focus: FieldName;
};

/** Returns the field that gets the focus: the one with the error, or else the first empty one. */
export function focusedField(
  context: PageContext,
  error: FormError | null,
  fields: [FieldName, ...FieldName[]],
): FieldName {
  if (error?.field) return error.field;
  return fields.find((name) => name !== 'email' || emailOf(context) === '') ?? fields[0];
}

/** The field for the email address. It contains the submitted address, or else the `login_hint` of the site. */
export function EmailField({ context, error, focus }: FieldProps) {
  return (
    <Field
      name="email"
      label={context.t('email')}
      error={error}
      focus={focus}
      input={{ type: 'email', autoComplete: 'username', inputMode: 'email', defaultValue: emailOf(context) }}
    />
  );
}

function emailOf(context: PageContext): string {
  return context.field('email') || (context.authorization.loginHint ?? '');
}

/** The field for the password of an account. */
export function CurrentPasswordField({ context, error, focus }: FieldProps) {
  return (
    <Field
      name="password"
      label={context.t('password')}
      showLabel={context.t('showPassword')}
      error={error}
      focus={focus}
      input={{ type: 'password', autoComplete: 'current-password' }}
    />
  );
}

/** The field for a new password, with the password policy as hint. */
export function NewPasswordField({ context, error, focus, label }: FieldProps & { label: MessageKey }) {
  return (
    <Field
      name="password"
      label={context.t(label)}
      showLabel={context.t('showPassword')}
      hint={context.t('passwordHint', { count: MIN_PASSWORD_LENGTH })}
      error={error}
      focus={focus}
      input={{ type: 'password', autoComplete: 'new-password' }}
    />
  );
}

/** The field for an emailed code. */
export function CodeField({ context, error, focus }: FieldProps) {
  return (
    <Field
      name="code"
      label={context.t('code')}
      error={error}
      focus={focus}
      input={{
        type: 'text',
        className: 'code',
        autoComplete: 'one-time-code',
        inputMode: 'numeric',
        maxLength: 12,
        defaultValue: error?.field === 'code' ? context.field('code') : '',
      }}
    />
  );
}

type InputProps = {
  /** The text of the button that shows a password. */
  showLabel?: string;
  name: FieldName;
  label: string;
  hint?: string;
  error: FormError | null;
  focus: FieldName;
  input: React.InputHTMLAttributes<HTMLInputElement>;
};

/**
 * A labeled input with its error, or else its hint. A password gets a button that shows it. The button is hidden until
 * `show-password.js` runs.
 */
function Field({ name, label, showLabel, hint, error, focus, input }: InputProps) {
  const message = error?.field === name ? error.message : null;
  const note = message ?? hint;
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={name}>{label}</label>
        {showLabel && (
          <button type="button" className="show-password" aria-controls={name} aria-pressed="false" hidden>
            {showLabel}
          </button>
        )}
      </div>
      <input
        {...input}
        id={name}
        name={name}
        required
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={message !== null ? true : undefined}
        aria-describedby={note ? `${name}-note` : undefined}
        // biome-ignore lint/a11y/noAutofocus: without scripts, nothing else focuses a field with an error
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

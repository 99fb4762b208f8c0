import type { InputHTMLAttributes, ReactNode } from 'react';
import { callbackUrl } from '../oauth/authorization-request.ts';
import { Page } from './html-page.tsx';
import type { MessageKey } from './messages.ts';
import { CSRF_FIELD, type FieldName, type FormError, type PageContext } from './page-handler.ts';

type Field = { name: FieldName; label: MessageKey; input: InputHTMLAttributes<HTMLInputElement> };

const fields = {
  email: {
    name: 'email',
    label: 'email',
    input: { type: 'email', autoComplete: 'username', inputMode: 'email' },
  },
  password: {
    name: 'password',
    label: 'password',
    input: { type: 'password', autoComplete: 'current-password' },
  },
  newPassword: {
    name: 'password',
    label: 'password',
    input: { type: 'password', autoComplete: 'new-password' },
  },
  code: {
    name: 'code',
    label: 'code',
    input: {
      type: 'text',
      className: 'code',
      autoComplete: 'one-time-code',
      inputMode: 'numeric',
      maxLength: 12,
    },
  },
} satisfies Record<string, Field>;

type FormPageProps = {
  context: PageContext;
  title: MessageKey;
  intro?: string;
  fieldNames: readonly (keyof typeof fields)[];
  submitLabel: MessageKey;
  error: FormError | null;
  notice?: string;
  /** The path that handles the form. */
  action: string;
  /** Shown after the submit button. */
  secondary?: ReactNode;
  /** Shown below the form. */
  children: ReactNode;
};

/** A page of the hosted login with a form. Below it are a note about the local cloud and the link to the outbox. */
export function FormPage({ context, title, intro, error, notice, secondary, ...props }: FormPageProps) {
  const { t, language, site, authorization, username } = context;
  const email = context.field('email') || authorization.loginHint;
  const shown: Field[] = props.fieldNames.map((name) => fields[name]);
  const empty = shown.find(({ name }) => name !== 'email' || email === '');
  return (
    <Page language={language} title={t(title)}>
      <main className="card">
        <header className="card-head">
          <Logo />
          <h1>{t(title)}</h1>
          <p className="muted">{t('continueTo', { site })}</p>
        </header>
        {intro && <p>{intro}</p>}
        <form method="post" action={context.link(props.action, username)} noValidate>
          {error?.field === null && (
            <p className="message error" role="alert">
              {error.message}
            </p>
          )}
          {notice && (
            <p className="message" role="status">
              {notice}
            </p>
          )}
          <input type="hidden" name={CSRF_FIELD} value={context.csrfToken} />
          {shown.map((field) => (
            <LabeledInput
              key={field.name}
              context={context}
              field={field}
              value={field.name === 'email' ? email : undefined}
              error={error?.field === field.name ? error.message : null}
              hasFocus={field.name === (error?.field ?? empty?.name)}
            />
          ))}
          <button type="submit" className="primary">
            {t(props.submitLabel)}
          </button>
          {secondary}
        </form>
        <p className="switch">{props.children}</p>
        <p className="aside">
          <a href={callbackUrl(authorization, { error: 'access_denied' }).href}>{t('cancel', { site })}</a>
        </p>
      </main>
      <footer>
        <p>{t('standIn')}</p>
        {/* Opens in a new tab, so that the form for the code stays open. */}
        <a href="/_outbox" target="_blank" rel="noopener">
          {t('outboxLink')}
        </a>
      </footer>
    </Page>
  );
}

type LabeledInputProps = {
  context: PageContext;
  field: Field;
  value: string | undefined;
  error: string | null;
  hasFocus: boolean;
};

/** A password gets a button that shows it. The button is hidden until `show-password.js` runs. */
function LabeledInput({
  context: { t, minPasswordLength },
  field,
  value,
  error,
  hasFocus,
}: LabeledInputProps) {
  const { name, label, input } = field;
  const hint = input.autoComplete === 'new-password' ? t('passwordHint', { count: minPasswordLength }) : null;
  const note = error ?? hint;
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={name}>{t(label)}</label>
        {name === 'password' && (
          <button type="button" className="show-password" aria-controls={name} aria-pressed="false" hidden>
            {t('showPassword')}
          </button>
        )}
      </div>
      <input
        {...input}
        id={name}
        name={name}
        defaultValue={value}
        required
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={error === null ? undefined : true}
        aria-describedby={note ? `${name}-note` : undefined}
        // biome-ignore lint/a11y/noAutofocus: without scripts, nothing else focuses a field with an error
        autoFocus={hasFocus}
      />
      {note && (
        <p className={error === null ? 'hint' : 'field-error'} id={`${name}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}

function Logo() {
  return (
    <svg className="mark" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      <rect width="40" height="40" rx="12" />
      <path d="M20 10a5 5 0 0 0-5 5v3h-1a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8a2 2 0 0 0-2-2h-1v-3a5 5 0 0 0-5-5Zm-2.5 8v-3a2.5 2.5 0 0 1 5 0v3Z" />
    </svg>
  );
}

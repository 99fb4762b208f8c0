import {
  CodeField,
  CurrentPasswordField,
  EmailField,
  Form,
  type FormError,
  focusOf,
  NewPasswordField,
} from './form.tsx';
import { Layout, Page } from './layout.tsx';
import { type Language, translator } from './messages.ts';
import type { Visit } from './visit.ts';

export type PageProps = { visit: Visit; error: FormError | null; notice?: string | null };

export function SignInPage({ visit, error, notice }: PageProps) {
  const { t, link } = visit;
  const focus = focusOf(visit, error, ['email', 'password']);
  return (
    <Layout visit={visit} title={t('signInTitle')}>
      <Form
        visit={visit}
        action="/login"
        error={error}
        notice={notice ?? null}
        submit={t('signInTitle')}
        secondary={
          <p className="aside">
            <a href={link('/forgotPassword')}>{t('forgotLink')}</a>
          </p>
        }
      >
        <EmailField visit={visit} error={error} focus={focus} />
        <CurrentPasswordField visit={visit} error={error} focus={focus} />
      </Form>
      <p className="switch">
        {t('noAccount')} <a href={link('/signup')}>{t('signUpTitle')}</a>
      </p>
    </Layout>
  );
}

export function SignUpPage({ visit, error }: PageProps) {
  const { t, link } = visit;
  const focus = focusOf(visit, error, ['email', 'password']);
  return (
    <Layout visit={visit} title={t('signUpTitle')}>
      <Form visit={visit} action="/signup" error={error} submit={t('signUpTitle')}>
        <EmailField visit={visit} error={error} focus={focus} />
        <NewPasswordField visit={visit} error={error} focus={focus} label="password" />
      </Form>
      <p className="switch">
        {t('haveAccount')} <a href={link('/login')}>{t('signInTitle')}</a>
      </p>
    </Layout>
  );
}

/** `email` is whose code this browser was sent to enter; null when that is not known, and it must be typed. */
export type CodePageProps = PageProps & { email: string | null };

export function ConfirmUserPage({ visit, error, notice, email }: CodePageProps) {
  const { t, link } = visit;
  const focus = focusOf(visit, error, email === null ? ['email', 'code'] : ['code']);
  return (
    <Layout visit={visit} title={t('confirmTitle')}>
      <p>{email === null ? t('codeUnknownEmail') : t('codeSent', { email })}</p>
      <Form
        visit={visit}
        action="/confirmUser"
        error={error}
        notice={notice ?? null}
        submit={t('confirmSubmit')}
        secondary={
          <button type="submit" name="intent" value="resend" className="secondary">
            {t('resend')}
          </button>
        }
      >
        {email === null && <EmailField visit={visit} error={error} focus={focus} />}
        <CodeField visit={visit} error={error} focus={focus} />
      </Form>
      <p className="switch">
        <a href={link('/login')}>{t('backToSignIn')}</a>
      </p>
    </Layout>
  );
}

export function ForgotPasswordPage({ visit, error }: PageProps) {
  const { t, link } = visit;
  const focus = focusOf(visit, error, ['email']);
  return (
    <Layout visit={visit} title={t('forgotTitle')}>
      <p>{t('forgotIntro')}</p>
      <Form visit={visit} action="/forgotPassword" error={error} submit={t('forgotSubmit')}>
        <EmailField visit={visit} error={error} focus={focus} />
      </Form>
      <p className="switch">
        <a href={link('/login')}>{t('backToSignIn')}</a>
      </p>
    </Layout>
  );
}

export function ConfirmForgotPasswordPage({ visit, error, email }: CodePageProps) {
  const { t, link } = visit;
  const focus = focusOf(visit, error, email === null ? ['email', 'code', 'password'] : ['code', 'password']);
  return (
    <Layout visit={visit} title={t('resetTitle')}>
      <p>{email === null ? t('codeUnknownEmail') : t('codeSentIfAccount', { email })}</p>
      <Form visit={visit} action="/confirmForgotPassword" error={error} submit={t('resetSubmit')}>
        {email === null && <EmailField visit={visit} error={error} focus={focus} />}
        <CodeField visit={visit} error={error} focus={focus} />
        <NewPasswordField visit={visit} error={error} focus={focus} label="newPassword" />
      </Form>
      <p className="switch">
        <a href={link('/forgotPassword')}>{t('resend')}</a>
      </p>
    </Layout>
  );
}

/** Where a visitor stays whom no registered site stands behind: there is no address to send them back to. */
export function ErrorPage({ language, error }: { language: Language; error: string }) {
  const t = translator(language);
  return (
    <Page language={language} title={t('errorTitle')}>
      <main className="card">
        <header className="card-head">
          <h1>{t('errorTitle')}</h1>
        </header>
        <p>{t('redirectMismatch')}</p>
        <p>{t('goBack')}</p>
        <p className="muted">
          <code>{error}</code>
        </p>
      </main>
    </Page>
  );
}

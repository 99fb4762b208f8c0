/**
 * The pages of the hosted login with their handlers.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
import type { Handler } from '../http/exchange.ts';
import { isEmail, MAX_PASSWORD_LENGTH } from '../user-pool/users.ts';
import { FormPage } from './form-page.tsx';
import { Page, renderPage } from './html-page.tsx';
import { chooseLanguage, createTranslator } from './messages.ts';
import {
  completeSignIn,
  createPageHandler,
  type FieldName,
  type FormError,
  type HostedLoginDeps,
  type PageContext,
  redirectToCodePage,
  showPage,
} from './page-handler.ts';

/** Returns the handler of `/login`. It sends a user who has not confirmed the address another code. */
export function createSignIn(deps: HostedLoginDeps): Handler {
  const { users, sendCode } = deps;
  return createPageHandler(deps, {
    show: (context, error) => (
      <FormPage
        context={context}
        title="signInTitle"
        action="/login"
        fieldNames={['email', 'password']}
        submitLabel="signInTitle"
        error={error}
        secondary={
          <p className="aside">
            <a href={context.link('/forgotPassword')}>{context.t('forgotLink')}</a>
          </p>
        }
      >
        <span>{context.t('noAccount')}</span>
        <a href={context.link('/signup')}>{context.t('signUpTitle')}</a>
      </FormPage>
    ),
    async submit(context) {
      const problem = checkEmail(context);
      if (problem) return problem;
      const user = await users.authenticate(context.field('email'), context.field('password'));
      if (!user) return { field: null, message: context.t('credentialsWrong') };
      if (user.confirmed) return completeSignIn(context, user, deps);
      sendCode('code', user.email, users.createCode(user, 'signUp'), context);
      return redirectToCodePage(context, '/confirm', user.email);
    },
  });
}

/** Returns the handler of `/signup`. Unlike the other pages, it reveals that an address has an account, as Cognito does. */
export function createSignUp(deps: HostedLoginDeps): Handler {
  const { users, sendCode } = deps;
  return createPageHandler(deps, {
    show: (context, error) => (
      <FormPage
        context={context}
        title="signUpTitle"
        action="/signup"
        fieldNames={['email', 'newPassword']}
        submitLabel="signUpTitle"
        error={error}
      >
        <span>{context.t('haveAccount')}</span>
        <a href={context.link('/login')}>{context.t('signInTitle')}</a>
      </FormPage>
    ),
    async submit(context) {
      const problem = checkEmail(context) ?? checkNewPassword(context);
      if (problem) return problem;
      const user = await users.signUp(context.field('email'), context.field('password'));
      if (!user) return fieldError(context, 'email', 'accountExists');
      sendCode('code', user.email, users.createCode(user, 'signUp'), context);
      return redirectToCodePage(context, '/confirm', user.email);
    },
  });
}

/** Returns the handler of `/confirm`, where the code of the sign-up email signs the user in. */
export function createConfirm(deps: HostedLoginDeps): Handler {
  const { users, sendCode } = deps;
  const show = (context: PageContext, error: FormError | null, notice?: string) => (
    <FormPage
      context={context}
      title="confirmTitle"
      intro={context.t('codeSent', { email: context.username })}
      action="/confirm"
      fieldNames={['code']}
      submitLabel="confirmSubmit"
      error={error}
      {...(notice === undefined ? {} : { notice })}
      secondary={
        <button type="submit" name="intent" value="resend" className="secondary">
          {context.t('resend')}
        </button>
      }
    >
      <a href={context.link('/login')}>{context.t('backToSignIn')}</a>
    </FormPage>
  );
  return createPageHandler(deps, {
    show: (context, error) => show(context, error),
    submit(context) {
      if (context.field('intent') === 'resend') {
        const user = users.find(context.username);
        if (user && !user.confirmed) sendCode('code', user.email, users.createCode(user, 'signUp'), context);
        return showPage(context, show(context, null, context.t('resent')));
      }
      const user = users.redeemCode(context.username, 'signUp', context.field('code'));
      return user ? completeSignIn(context, user, deps) : fieldError(context, 'code', 'codeWrong');
    },
  });
}

/** Returns the handler of `/forgotPassword`. The response is the same when the address has no account. */
export function createForgotPassword(deps: HostedLoginDeps): Handler {
  const { users, sendCode } = deps;
  return createPageHandler(deps, {
    show: (context, error) => (
      <FormPage
        context={context}
        title="forgotTitle"
        intro={context.t('forgotIntro')}
        action="/forgotPassword"
        fieldNames={['email']}
        submitLabel="forgotSubmit"
        error={error}
      >
        <a href={context.link('/login')}>{context.t('backToSignIn')}</a>
      </FormPage>
    ),
    submit(context) {
      const problem = checkEmail(context);
      if (problem) return problem;
      const email = context.field('email').trim();
      const user = users.find(email);
      if (user) sendCode('reset', user.email, users.createCode(user, 'reset'), context);
      return redirectToCodePage(context, '/confirmforgotPassword', email);
    },
  });
}

/**
 * Returns the handler of `/confirmforgotPassword`, the page for the code and a new password. The code also confirms the
 * address, because it was sent there.
 */
export function createConfirmForgotPassword(deps: HostedLoginDeps): Handler {
  const { users } = deps;
  return createPageHandler(deps, {
    show: (context, error) => (
      <FormPage
        context={context}
        title="resetTitle"
        intro={context.t('codeSentIfAccount', { email: context.username })}
        action="/confirmforgotPassword"
        fieldNames={['code', 'newPassword']}
        submitLabel="resetSubmit"
        error={error}
      >
        <a href={context.link('/forgotPassword')}>{context.t('resend')}</a>
      </FormPage>
    ),
    async submit(context) {
      // Checked before the code is consumed, so that the code stays valid if the password is rejected.
      const problem = checkNewPassword(context);
      if (problem) return problem;
      const user = users.redeemCode(context.username, 'reset', context.field('code'));
      if (!user) return fieldError(context, 'code', 'codeWrong');
      await users.setPassword(user, context.field('password'));
      return completeSignIn(context, user, deps);
    },
  });
}

/**
 * Returns the handler of `/error`. Visitors see it when the client or the redirect URI of an authorization request is not
 * registered, because redirecting to an unregistered site is not safe (RFC 6749 section 4.1.2.1).
 */
export function createErrorPage(): Handler {
  return (request) => {
    const { language } = chooseLanguage(request);
    const t = createTranslator(language);
    const error = request.url.searchParams.get('error') ?? '';
    const page = (
      <Page language={language} title={t('errorTitle')}>
        <main className="card">
          <header className="card-head">
            <h1>{t('errorTitle')}</h1>
          </header>
          <p>{t('redirectMismatch')}</p>
          <p>{t('goBack')}</p>
          <p className="muted">
            <code>{error.slice(0, 100)}</code>
          </p>
        </main>
      </Page>
    );
    return renderPage(page, { status: 400 });
  };
}

function checkEmail(context: PageContext): FormError | null {
  return isEmail(context.field('email')) ? null : fieldError(context, 'email', 'emailInvalid');
}

/** The length is counted in code points. */
function checkNewPassword(context: PageContext): FormError | null {
  const { length } = [...context.field('password')];
  if (length < context.minPasswordLength) {
    return fieldError(context, 'password', 'passwordTooShort', context.minPasswordLength);
  }
  return length > MAX_PASSWORD_LENGTH
    ? fieldError(context, 'password', 'passwordTooLong', MAX_PASSWORD_LENGTH)
    : null;
}

function fieldError(
  { t }: PageContext,
  field: FieldName,
  key: 'accountExists' | 'codeWrong' | 'emailInvalid' | 'passwordTooLong' | 'passwordTooShort',
  count = 0,
): FormError {
  return { field, message: t(key, { count }) };
}

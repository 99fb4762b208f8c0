import type { Handler } from '../../http/exchange.ts';
import { Page, renderPage } from '../html-page.tsx';
import { chooseLanguage } from '../language.ts';
import { createTranslator } from '../messages.ts';
import type { HostedLoginDeps } from '../page-handler.ts';

/**
 * Returns the handler of `/confirmUser`, the target of links in emails. `user_name` is a username or an email address,
 * and `confirmation_code` the code of the sign-up email. A user pool sends such links instead of codes if it is
 * configured to. This one sends codes, which are entered at `/confirm`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/managed-login-endpoints.html
 */
export function createConfirmUser({ userPool, users, limits }: HostedLoginDeps): Handler {
  const isConfirmed = (params: URLSearchParams): boolean => {
    const name = params.get('user_name') ?? '';
    const user = users.findBySub(name) ?? users.find(name);
    if (!user || !userPool.findClient(params.get('client_id') ?? '')) return false;
    if (!limits.code.consume(`signUp:${user.email}`)) return false;
    return users.redeemCode(user.email, 'signUp', params.get('confirmation_code') ?? '') !== null;
  };
  return (request) => {
    const { language } = chooseLanguage(request);
    const t = createTranslator(language);
    const confirmed = isConfirmed(request.url.searchParams);
    const page = (
      <Page language={language} title={t('confirmTitle')}>
        <main className="card">
          <header className="card-head">
            <h1>{t('confirmTitle')}</h1>
          </header>
          <p>{t(confirmed ? 'emailConfirmed' : 'codeWrong')}</p>
          <p>{t('goBack')}</p>
        </main>
      </Page>
    );
    return renderPage(page, { status: confirmed ? 200 : 400 });
  };
}

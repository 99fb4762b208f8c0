import type { Handler } from '../../http/exchange.ts';
import { Page, renderPage } from '../html-page.tsx';
import { chooseLanguage } from '../language.ts';
import { createTranslator, type Language } from '../messages.ts';

/**
 * Returns the handler of `/error`. Visitors see it when the client or the redirect URI of an authorization request
 * is not registered, because redirecting to an unregistered site is not safe (RFC 6749 section 4.1.2.1).
 */
export function createErrorPage(): Handler {
  return (request) => {
    const { language } = chooseLanguage(request);
    const error = request.url.searchParams.get('error') ?? 'unknown_error';
    return renderPage(<ErrorPage language={language} error={error.slice(0, 100)} />, { status: 400 });
  };
}

function ErrorPage({ language, error }: { language: Language; error: string }) {
  const t = createTranslator(language);
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

import type { Handler } from '../http/exchange.ts';
import { languageOf } from './language.ts';
import { ErrorPage } from './pages.tsx';
import { renderPage } from './render-page.ts';

/** `/error`: an authorization request that cannot be answered at the site, since the site is what is in doubt. */
export function createErrorPage(): Handler {
  return (request) => {
    const { language } = languageOf(request);
    const error = request.url.searchParams.get('error') ?? 'unknown_error';
    return renderPage(<ErrorPage language={language} error={error.slice(0, 100)} />, { status: 400 });
  };
}

import type { ReactNode } from 'react';
import { Page } from './html-page.tsx';
import { languageNames, languages } from './messages.ts';
import type { PageContext } from './page-context.ts';

type LayoutProps = { context: PageContext; title: string; children: ReactNode };

/** The layout of every page with a form: title, link back to the site, language menu and link to the outbox. */
export function Layout({ context, title, children }: LayoutProps) {
  const { t, language, cancelUrl, site } = context;
  return (
    <Page language={language} title={title}>
      <main className="card">
        <header className="card-head">
          <Logo />
          <h1>{title}</h1>
          <p className="muted">{t('continueTo', { site })}</p>
        </header>
        {children}
        <p className="cancel">
          <a href={cancelUrl}>{t('cancel', { site })}</a>
        </p>
      </main>
      <footer>
        <LanguageMenu context={context} />
        <p>{t('standIn')}</p>
        {/* Opens in a new tab, so that the form for the code stays open. */}
        <a href="/_outbox" target="_blank" rel="noopener">
          {t('outboxLink')}
        </a>
      </footer>
    </Page>
  );
}

function LanguageMenu({ context }: { context: PageContext }) {
  const { t, language, request, link } = context;
  return (
    <details className="languages">
      <summary>
        <span className="visually-hidden">{t('language')}: </span>
        {languageNames[language]}
      </summary>
      <ul>
        {languages.map((code) => (
          <li key={code}>
            <a
              href={link(request.url.pathname, { lang: code })}
              lang={code}
              aria-current={code === language ? 'true' : undefined}
            >
              {languageNames[code]}
            </a>
          </li>
        ))}
      </ul>
    </details>
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

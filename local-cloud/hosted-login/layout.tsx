import type { ReactNode } from 'react';
import { languageNames, languages } from './messages.ts';
import type { Visit } from './visit.ts';

/** The frame of every page: the card, the way back, the languages, and a word on what this is. */
export function Layout({ visit, title, children }: { visit: Visit; title: string; children: ReactNode }) {
  const { t, language, cancelUrl, authorization } = visit;
  const site = new URL(authorization.redirectUri).host;
  return (
    <Page language={language} title={title}>
      <main className="card">
        <header className="card-head">
          <Mark />
          <h1>{title}</h1>
          <p className="muted">{t('continueTo', { site })}</p>
        </header>
        {children}
        <p className="cancel">
          <a href={cancelUrl}>{t('cancel', { site })}</a>
        </p>
      </main>
      <footer>
        <LanguageMenu visit={visit} />
        <p>
          {t('standIn')} {/* In a tab of its own: the form that asks for the code stays where it is. */}
          <a href="/_outbox" target="_blank" rel="noopener">
            {t('outboxLink')}
          </a>
        </p>
      </footer>
    </Page>
  );
}

/** A whole document. */
export function Page({
  language,
  title,
  children,
}: {
  language: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_assets/pages.css" />
      </head>
      <body>{children}</body>
    </html>
  );
}

function LanguageMenu({ visit }: { visit: Visit }) {
  const { t, language, request, link } = visit;
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

function Mark() {
  return (
    <svg className="mark" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      <rect width="40" height="40" rx="12" />
      <path d="M20 10a5 5 0 0 0-5 5v3h-1a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8a2 2 0 0 0-2-2h-1v-3a5 5 0 0 0-5-5Zm-2.5 8v-3a2.5 2.5 0 0 1 5 0v3Z" />
    </svg>
  );
}

import { isRouteErrorResponse, useLocation, useRouteError } from '@remix-run/react';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DocumentContext } from '~/components/document/document-context.ts';
import { pages } from '~/pages.ts';
import { buttonClass } from '../ui/button.tsx';
import { PageLink } from './page-link.tsx';

const REQUEST_ID = 'request-id';

/** The page for errors: status code, description and request id. It never shows the error's own message. */
export function ErrorPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const { pathname } = useLocation();
  const path = (isRouteErrorResponse(error) && pathOfStatusText(error.statusText)) || pathname;
  const kind = status === 404 ? 'notFound' : 'other';
  return (
    <div className="grid gap-x-16 gap-y-6 py-16 md:grid-cols-[auto_1fr] md:py-28">
      <p className="font-display text-[clamp(5rem,4rem+10vw,12rem)] leading-none font-semibold tracking-tighter text-primary tabular-nums">
        {status}
      </p>
      <div className="max-w-prose self-center">
        <h1 tabIndex={-1} className="text-heading">
          {t(`error.${kind}.title`)}
        </h1>
        <p className="mt-3 text-lead break-words text-ink-muted">
          {t(`error.${kind}.description`, { path: isolate(path) })}
        </p>
        <p className="mt-8">
          <PageLink page="index" className={buttonClass('primary')}>
            {t('error.home')}
          </PageLink>
        </p>
        {kind === 'notFound' ? <OtherPages /> : null}
        <RequestId />
      </div>
    </div>
  );
}

/** Links to all pages except the home page, which has a button. */
function OtherPages() {
  const { t } = useTranslation();
  return (
    <>
      <p className="mt-8">{t('error.notFound.pages')}</p>
      <ul className="mt-2 flex flex-wrap gap-x-6">
        {pages
          .filter(({ name }) => name !== 'index')
          .map(({ name }) => (
            <li key={name}>
              <PageLink page={name} className="text-link inline-flex min-h-11 items-center">
                {t(`nav.pages.${name}`)}
              </PageLink>
            </li>
          ))}
      </ul>
    </>
  );
}

/** The path in the status text `Page not found: {path}`, decoded if possible. */
function pathOfStatusText(statusText: string): string | null {
  const path = /^page not found: (.+)$/i.exec(statusText)?.[1] ?? null;
  try {
    return path && decodeURI(path);
  } catch {
    return path;
  }
}

/** Keeps the path left-to-right within a right-to-left sentence (Unicode annex 9, characters LRI and PDI). */
function isolate(path: string): string {
  return `\u2066${path}\u2069`;
}

/**
 * The request id of this document, which is also in the log. The browser reads it from the server's HTML. An error
 * during client-side navigation has no id.
 */
function RequestId() {
  const { t } = useTranslation();
  const serverId = useContext(DocumentContext)?.requestId;
  const [id] = useState(() => serverId ?? document.getElementById(REQUEST_ID)?.dataset.id ?? null);
  if (!id) return null;
  return (
    <div id={REQUEST_ID} data-id={id} className="mt-8 text-sm text-ink-muted">
      <p>
        {t('error.requestId')}
        <span className="block text-xs tabular-nums">
          <bdi>{id}</bdi>
        </span>
      </p>
      <p className="mt-2">{t('error.requestIdNote')}</p>
    </div>
  );
}

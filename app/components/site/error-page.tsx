import { isRouteErrorResponse, useLocation, useRouteError } from '@remix-run/react';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DocumentContext } from '~/components/document/document-context.ts';
import { buttonClass } from '../ui/button.tsx';
import { PageLink } from './page-link.tsx';

const REQUEST_ID = 'request-id';

/** What took the page's place: the code, what it means in words, and the request's id. Never the error's own message. */
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
        <RequestId />
      </div>
    </div>
  );
}

/** The path in the status text `Page not found: {path}`, readable if it can be decoded. */
function pathOfStatusText(statusText: string): string | null {
  const path = /^page not found: (.+)$/i.exec(statusText)?.[1] ?? null;
  try {
    return path && decodeURI(path);
  } catch {
    return path;
  }
}

/** In a sentence that runs right to left a path still runs left to right (Unicode annex 9, LRI and PDI). */
function isolate(path: string): string {
  return `\u2066${path}\u2069`;
}

/**
 * The id under which the log knows this document's request. Only the server has it, so the browser takes it from what
 * the server wrote; an error of a later, client-side navigation has none.
 */
function RequestId() {
  const { t } = useTranslation();
  const onServer = useContext(DocumentContext)?.requestId;
  const [id] = useState(() => onServer ?? document.getElementById(REQUEST_ID)?.dataset.id ?? null);
  if (!id) return null;
  return (
    <p id={REQUEST_ID} data-id={id} className="mt-8 text-sm text-ink-muted">
      {t('error.requestId')}
      <bdi className="block text-xs tabular-nums">{id}</bdi>
    </p>
  );
}

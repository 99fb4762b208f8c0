import { type ErrorResponse, isRouteErrorResponse, useLocation, useRouteError } from '@remix-run/react';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DocumentContext } from '~/components/document/document-context.ts';
import { errorTexts } from '~/i18n/error-texts.ts';
import { isForMembers, pages } from '~/pages.ts';
import { buttonClass } from '../ui/button.tsx';
import { PageLink } from './page-link.tsx';

const REQUEST_ID = 'request-id';

/**
 * The page for errors: status code, description, request id, and the status message if the route gave one. It never shows
 * the message of another error.
 */
export function ErrorPage() {
  const { t, i18n } = useTranslation();
  const error = useRouteError();
  const response = isRouteErrorResponse(error) ? error : null;
  const status = response?.status ?? 500;
  const { pathname, search } = useLocation();
  const texts = errorTexts(i18n, status);
  return (
    <div className="grid gap-x-16 gap-y-6 py-16 md:grid-cols-[auto_1fr] md:py-28">
      {/* The tracking after the last digit lets it extend beyond the right edge. */}
      <p className="font-display text-[clamp(5rem,4rem+10vw,12rem)] leading-none font-semibold tracking-tighter text-primary tabular-nums rtl:ps-[0.05em]">
        {status}
      </p>
      <div className="max-w-prose self-center">
        <h1 tabIndex={-1} className="text-heading">
          {t(`error.${texts.title}.title`)}
        </h1>
        <p className="mt-3 text-lead break-words text-ink-muted">
          {t(`error.${texts.description}.description`, { path: readable(pathname + search) })}
        </p>
        <p className="mt-8">
          <PageLink page="index" className={buttonClass('primary')}>
            {t('error.home')}
          </PageLink>
        </p>
        {status === 404 ? <OtherPages /> : <RouteMessage response={response} />}
        <RequestId />
      </div>
    </div>
  );
}

/** Links to the open pages except the home page, which has a button. */
function OtherPages() {
  const { t } = useTranslation();
  return (
    <>
      <p className="mt-8">{t('error.404.pages')}</p>
      <ul className="mt-2 flex flex-wrap gap-x-6">
        {pages
          .filter((page) => page.name !== 'index' && !isForMembers(page))
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

/**
 * The status message of a response that a route threw. Remix marks its own errors as internal: their English messages say
 * what the title says.
 */
export function RouteMessage({ response }: { response: ErrorResponse | null }) {
  if (!response?.statusText || ('internal' in response && response.internal)) return null;
  return <p className="mt-8">{response.statusText}</p>;
}

/**
 * The address as a person would write it, kept left-to-right within a right-to-left sentence (Unicode annex 9, characters
 * LRI and PDI).
 */
function readable(path: string): string {
  try {
    return `\u2066${decodeURI(path)}\u2069`;
  } catch {
    return `\u2066${path}\u2069`;
  }
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

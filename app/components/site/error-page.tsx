import { type ErrorResponse, isRouteErrorResponse } from '@remix-run/react';
import { type ReactNode, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { documentLoads } from '~/client/browser-services.ts';
import { DocumentContext } from '~/components/document/document-context.ts';
import { errorTexts } from '~/i18n/error-texts.ts';
import { plainPages } from '~/i18n/localized-page.ts';
import { isForMembers, NOT_IN_GROUP, notFoundMessages } from '~/pages.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { RichText } from '../ui/rich-text.tsx';
import { PageLink } from './page-link.tsx';
import { useDocumentError } from './use-document-error.ts';

const REQUEST_ID = 'request-id';

/**
 * The page for errors: status code, message, description, and request id. A fault of the browser has no status: a component
 * failed there, or a file of the page could not be loaded. The page never shows the message of another error.
 */
export function ErrorPage() {
  const { error, isServers } = useDocumentError();
  if (!isServers && !isRouteErrorResponse(error)) return <BrowserFault />;
  return <ServerError response={isRouteErrorResponse(error) ? error : null} isServers={isServers} />;
}

function ServerError({ response, isServers }: { response: ErrorResponse | null; isServers: boolean }) {
  const { t, i18n } = useTranslation();
  const status = response?.status ?? 500;
  const texts = errorTexts(i18n, status);
  const isNotInGroup = response?.statusText === NOT_IN_GROUP;
  return (
    <ErrorLayout sign={status} title={t(`error.${texts.title}.title`)}>
      {isNotInGroup ? null : <RouteMessage response={response} />}
      <p className="mt-3 text-lead text-ink-muted">
        {t(isNotInGroup ? 'error.403.notInGroup' : `error.${texts.description}.description`)}
      </p>
      <p className="mt-8">
        <PageLink page="index" className={buttonClass('primary')}>
          {t('error.home')}
        </PageLink>
      </p>
      {status === 404 ? <OtherPages /> : null}
      {isServers ? <RequestId /> : null}
    </ErrorLayout>
  );
}

function BrowserFault() {
  const { t } = useTranslation();
  return (
    <ErrorLayout
      sign={<Icon name="lucide:circle-alert" className="size-[0.8em] stroke-[1.5]" />}
      title={t('error.browser.title')}
    >
      <p className="mt-3 text-lead text-ink-muted">{t('error.browser.description')}</p>
      <p className="mt-8 flex flex-wrap gap-3">
        <Button type="button" onClick={() => documentLoads.reload()}>
          {t('error.reload')}
        </Button>
        <PageLink page="index" reloadDocument className={buttonClass('secondary')}>
          {t('error.home')}
        </PageLink>
      </p>
    </ErrorLayout>
  );
}

/** `sign` is what stands out: the status code. */
function ErrorLayout({ sign, title, children }: { sign: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-16 gap-y-6 py-16 md:grid-cols-[auto_1fr] md:py-28">
      {/* The tracking after the last digit lets it extend beyond the right edge. */}
      <p className="font-display text-[clamp(5rem,4rem+10vw,12rem)] leading-none font-semibold tracking-tighter text-primary tabular-nums rtl:ps-[0.05em]">
        {sign}
      </p>
      <div className="max-w-prose self-center">
        <h1 tabIndex={-1} className="text-heading">
          {title}
        </h1>
        {children}
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
        {plainPages
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

const reasons = ['missing', 'invalid'] as const;

/**
 * The status message of a response that a route threw. That of a 404 is translated. Remix marks its own errors as
 * internal: their English messages say what the title says.
 */
export function RouteMessage({ response }: { response: ErrorResponse | null }) {
  const { t } = useTranslation();
  if (!response?.statusText || ('internal' in response && response.internal)) return null;
  const { statusText } = response;
  const reason = reasons.find((key) => statusText.startsWith(notFoundMessages[key]));
  return (
    <p className="mt-3 text-lead break-words">
      {reason ? (
        <RichText
          text={t(`error.404.${reason}`, { path: '<path></path>' })}
          elements={{ path: <Path path={statusText.slice(notFoundMessages[reason].length)} /> }}
        />
      ) : (
        statusText
      )}
    </p>
  );
}

/** The address as a person would write it, from left to right in every sentence. */
function Path({ path }: { path: string }) {
  return <bdi dir="ltr">{readable(path)}</bdi>;
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * The request id of this document, which is also in the log. The browser reads it from the server's HTML.
 */
function RequestId() {
  const { t } = useTranslation();
  const serverId = useContext(DocumentContext)?.requestId;
  const [id] = useState(() => serverId ?? document.getElementById(REQUEST_ID)?.dataset.id ?? null);
  if (!id) return null;
  return (
    <div id={REQUEST_ID} data-id={id} className="mt-8 text-sm text-ink-muted">
      <p>
        <span>{t('error.requestId')}</span>
        <span className="block text-xs tabular-nums">
          <bdi>{id}</bdi>
        </span>
      </p>
      <p className="mt-2">{t('error.requestIdNote')}</p>
    </div>
  );
}

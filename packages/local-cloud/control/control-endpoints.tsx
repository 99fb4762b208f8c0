/** The endpoints with which developers and tests control the local cloud. AWS has no such endpoints. */
import { z } from 'zod';
import { Page, renderPage } from '../hosted-login/html-page.tsx';
import type { Email, Outbox } from '../hosted-login/outbox.ts';
import {
  type CloudRequest,
  type CloudResponse,
  type Handler,
  json,
  methodNotAllowed,
  redirect,
  text,
} from '../http/exchange.ts';
import type { Faults } from './faults.ts';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Returns the handler of `/_outbox`. It shows the emails as a page to browsers and as JSON to other clients. */
export function createOutboxEndpoint(outbox: Outbox): Handler {
  return localOnly(['GET', 'HEAD'], ({ headers }) =>
    acceptsHtml(headers.accept)
      ? renderPage(<OutboxPage emails={outbox.emails} />)
      : json(200, outbox.emails),
  );
}

/**
 * Returns the handler of `/_faults`. GET shows the settings and the call counts; POST replaces the settings.
 * Settings that are not valid get a 400 response and change nothing.
 */
export function createFaultsEndpoint(faults: Faults): Handler {
  const show = () => json(200, { ...faults.settings, calls: faults.calls });
  return localOnly(['GET', 'HEAD', 'POST'], (request) => {
    if (request.method !== 'POST') return show();
    try {
      faults.set(JSON.parse(request.body.toString('utf8')));
      return show();
    } catch (error) {
      if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) });
      if (error instanceof SyntaxError) return json(400, { error: 'The body is not JSON.' });
      throw error;
    }
  });
}

/** Returns the handler of `POST /_reset`, which calls `reset`. Browsers are redirected to the outbox. */
export function createResetEndpoint(reset: () => Promise<void>): Handler {
  return localOnly(['POST'], async (request) => {
    await reset();
    return acceptsHtml(request.headers.accept)
      ? { ...redirect('/_outbox'), status: 303 }
      : json(200, { reset: true });
  });
}

/**
 * Returns a handler that rejects other methods (405), host names other than loopback ones (421) and POST requests
 * from other sites (403). The check of the host name prevents DNS rebinding.
 */
function localOnly(methods: readonly string[], handler: Handler): Handler {
  return (request): CloudResponse | Promise<CloudResponse> => {
    if (!LOOPBACK_HOSTS.has(request.url.hostname)) return text(421, 'This host is not served here.\n');
    if (!methods.includes(request.method)) return methodNotAllowed(methods);
    if (request.method === 'POST' && isCrossOrigin(request)) {
      return text(403, 'Cross-origin requests are not allowed.\n');
    }
    return handler(request);
  };
}

/** Only browsers send these headers. Requests of scripts and tests are never cross-origin. */
function isCrossOrigin({ headers, url }: CloudRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && headers.origin !== url.origin;
}

function acceptsHtml(accept: string | undefined): boolean {
  return /\btext\/html\b/.test(accept ?? '');
}

function OutboxPage({ emails }: { emails: readonly Email[] }) {
  return (
    <Page language="en" title="Outbox">
      <main className="outbox">
        <h1>Outbox</h1>
        <p className="muted">
          Emails that a real user pool would send, newest first. Reload to see new ones.
        </p>
        {emails.length === 0 ? <p className="empty">No emails yet.</p> : <EmailList emails={emails} />}
      </main>
    </Page>
  );
}

function EmailList({ emails }: { emails: readonly Email[] }) {
  return (
    <ol className="mails">
      {emails.map((email, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, to a string
        <li key={index} className="mail">
          <p className="muted">
            <span>{`${email.from} → ${email.to}`}</span>{' '}
            <time dateTime={email.at}>{email.at.replace('T', ' ').slice(0, 19)} UTC</time>
          </p>
          <h2 dir="auto">{email.subject}</h2>
          <p dir="auto">{email.text}</p>
          {email.code !== null && <p className="big-code">{email.code}</p>}
        </li>
      ))}
    </ol>
  );
}

/** The endpoints with which developers and tests control the local cloud. AWS has no such endpoints. */
import { z } from 'zod';
import { Page, renderPage } from '../hosted-login/html-page.tsx';
import { type CloudRequest, type Handler, json, redirect, text } from '../http/exchange.ts';
import type { Email } from '../storage/store.ts';
import type { Faults } from './faults.ts';

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns the handler of `/_outbox`. It shows the emails as a page to browsers and as JSON to other clients. */
export function createOutboxEndpoint(origin: string, emails: () => readonly Email[]): Handler {
  return ownOnly(origin, ({ headers }) =>
    acceptsHtml(headers.accept) ? renderPage(<OutboxPage emails={emails()} />) : json(200, emails()),
  );
}

/**
 * Returns the handler of `/_faults`. GET shows the settings and the call counts; POST replaces the settings. Settings that
 * are not valid get a 400 response and change nothing.
 */
export function createFaultsEndpoint(origin: string, faults: Faults): Handler {
  return ownOnly(origin, (request) => {
    try {
      if (request.method === 'POST') faults.set(JSON.parse(request.body.toString('utf8')));
      return json(200, { ...faults.settings, calls: faults.calls });
    } catch (error) {
      if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) });
      if (error instanceof SyntaxError) return json(400, { error: 'The body is not JSON.' });
      throw error;
    }
  });
}

/** Returns the handler of `POST /_reset`, which calls `reset`. Browsers are redirected to the outbox. */
export function createResetEndpoint(origin: string, reset: () => Promise<void>): Handler {
  return ownOnly(origin, async ({ headers }) => {
    await reset();
    return acceptsHtml(headers.accept)
      ? { ...redirect('/_outbox'), status: 303 }
      : json(200, { reset: true });
  });
}

/**
 * Returns a handler that rejects host names other than loopback ones and that of `origin` (421), and POST requests from
 * other sites (403). The check of the host name prevents DNS rebinding.
 */
function ownOnly(origin: string, handler: Handler): Handler {
  const hosts = new Set([...LOOPBACK_HOSTS, new URL(origin).hostname]);
  return (request) => {
    if (!hosts.has(request.url.hostname)) return text(421, 'This host is not served here.\n');
    if (request.method === 'POST' && isCrossOrigin(request, origin)) {
      return text(403, 'Cross-origin requests are not allowed.\n');
    }
    return handler(request);
  };
}

/** Only browsers send these headers. Requests of scripts and tests are never cross-origin. */
function isCrossOrigin({ headers, url }: CloudRequest, origin: string): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  const own = [url.origin, origin];
  return !['same-origin', 'none'].includes(String(site)) || !own.includes(headers.origin ?? origin);
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
        {emails.length === 0 && <p className="mail">No emails yet.</p>}
        {emails.map((email, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, to a string
          <article key={index} className="mail">
            <p className="muted">
              <span>{`${email.from} → ${email.to}`}</span>{' '}
              <time dateTime={email.at}>{email.at.replace('T', ' ').slice(0, 19)} UTC</time>
            </p>
            <h2 dir="auto">{email.subject}</h2>
            <p dir="auto">{email.text}</p>
            {email.code !== null && <p className="big-code">{email.code}</p>}
          </article>
        ))}
      </main>
    </Page>
  );
}

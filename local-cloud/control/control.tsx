import { z } from 'zod';
import { renderPage } from '../hosted-login/render-page.ts';
import { type CloudReply, type CloudRequest, type Handler, json, redirect, text } from '../http/exchange.ts';
import type { Outbox } from '../user-pool/outbox.ts';
import type { Faults } from './faults.ts';
import { OutboxPage } from './outbox-page.tsx';

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** `/_outbox`: the mails, as JSON for whoever asks for that, else as a page. */
export function createOutboxView(outbox: Outbox): Handler {
  return guard(['GET', 'HEAD'], ({ headers }) =>
    wantsHtml(headers.accept) ? renderPage(OutboxPage({ mails: outbox.mails })) : json(200, outbox.mails),
  );
}

/** `/_faults`: GET tells what is set and how often each service was called; POST replaces what is set. */
export function createFaultsControl(faults: Faults): Handler {
  const show = () => json(200, { ...faults.settings, calls: faults.calls });
  return guard(['GET', 'HEAD', 'POST'], (request) => {
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

/** `POST /_reset`: forgets users, sessions, mails and messages. */
export function createReset(reset: () => void): Handler {
  return guard(['POST'], (request) => {
    reset();
    return wantsHtml(request.headers.accept)
      ? { ...redirect('/_outbox'), status: 303 }
      : json(200, { reset: true });
  });
}

/** Keeps other sites' pages away, and names that only pretend to be this machine (DNS rebinding). */
function guard(methods: readonly string[], handler: Handler): Handler {
  return (request): CloudReply | Promise<CloudReply> => {
    if (!LOOPBACK_HOSTS.has(request.url.hostname)) return text(421, 'This host is not served here.\n');
    if (!methods.includes(request.method)) {
      return text(405, 'Method not allowed\n', { allow: methods.join(', ') });
    }
    if (request.method === 'POST' && isFromElsewhere(request)) return text(403, 'Not from another site.\n');
    return handler(request);
  };
}

/** Scripts and tests say nothing of where they come from; browsers do. */
function isFromElsewhere({ headers, url }: CloudRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && headers.origin !== url.origin;
}

function wantsHtml(accept: string | undefined): boolean {
  return /\btext\/html\b/.test(accept ?? '');
}

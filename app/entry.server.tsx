import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { AppLoadContext, EntryContext } from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { DocumentContext } from './components/document/document-context.ts';
import { localeOfPath } from './i18n/locales.ts';
import { documentPolicy } from './server/http/security-headers.ts';
import { publicContext } from './server/public-context.ts';
import { createDocumentIcons } from './server/rendering/document-icons.ts';
import { renderDocument } from './server/rendering/render-document.ts';

/**
 * Milliseconds for data that a loader left unfinished; no loader here does. Remix never clears this timer, and until it
 * has run it keeps the whole document in memory.
 */
export const streamTimeout = 1_000;

/**
 * Renders a document to completion before its first byte is sent: nothing on these pages is slow enough to stream, and
 * a status or a cookie can still be decided until the end.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  loadContext: AppLoadContext,
): Promise<Response> {
  const context = publicContext(loadContext, request);
  const locale = localeOfPath(new URL(request.url).pathname);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-language', locale.iso);
  // A page for everyone gets its policy when it is kept, with the hashes of what was written.
  const nonce = context.nonce ?? undefined;
  if (nonce) {
    headers.set(
      'content-security-policy',
      documentPolicy([`'nonce-${nonce}'`], context.env, import.meta.env.DEV),
    );
  }

  const icons = createDocumentIcons(context.icons, context.log);
  const routeData = await takeRouteData(remixContext);
  const html = await renderDocument(
    <DocumentContext.Provider
      value={{
        nonce,
        requestId: context.requestId,
        buildId: remixContext.manifest.version,
        i18n: context.messages.instance(locale.code),
        theme: context.theme,
        icons,
        remix: {
          manifest: remixContext.manifest,
          serverHandoffString: remixContext.serverHandoffString,
          routeData,
        },
      }}
    >
      <RemixServer context={remixContext} url={request.url} />
    </DocumentContext.Provider>,
    icons.waiting,
  );
  return new Response(html, { headers, status });
}

/**
 * What the loaders gave, encoded for the browser. Remix would have it written in pieces behind the document, as it
 * comes; here all of it is there before the first byte.
 */
async function takeRouteData(remixContext: EntryContext): Promise<string> {
  const { serverHandoffStream } = remixContext;
  if (!serverHandoffStream) return '';
  delete remixContext.serverHandoffStream;
  return text(serverHandoffStream as NodeReadableStream);
}

/**
 * Errors of loaders and actions. What the visitor left unfinished is not one, and neither is what Remix itself refuses,
 * such as a form for a page that takes none: the line of the request says that.
 */
export function handleError(
  error: unknown,
  { request, context }: { request: Request; context: AppLoadContext },
) {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { log, requestId } = publicContext(context, request);
  log.error({ err: error, requestId }, 'a route failed');
}

import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { AppLoadContext, EntryContext } from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { DocumentContext } from './components/document/document-context.ts';
import { localeOfPath, stripLocale } from './i18n/locales.ts';
import { pageAtPath } from './pages.ts';
import { documentPolicy, type PolicyEnv } from './server/http/response-head.ts';
import { createDocumentIcons } from './server/rendering/document-icons.ts';
import { renderDocument } from './server/rendering/render-document.ts';
import { toVisitor } from './server/session/visitor.ts';

/**
 * In milliseconds: the limit for promises that loaders return unresolved. No loader of this site does. Remix never
 * clears this timer, which keeps the document in memory until it fires.
 */
export const streamTimeout = 1_000;

/**
 * Renders a document completely before its first byte is sent. Nothing in the pages is slow enough to be worth
 * streaming, and the status and the cookies can change until the end. The document includes the data of the loaders,
 * which Remix would stream after it.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const locale = localeOfPath(pathname);
  const page = pageAtPath(stripLocale(pathname));
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-language', locale.iso);
  const nonce = context.nonce() ?? undefined;
  if (nonce) setContentSecurityPolicy(headers, nonce, context.env);
  const icons = createDocumentIcons(context.icons, context.log);
  const staticParts = context.staticParts.forDocument(locale.code);
  const { serverHandoffStream, ...documentContext } = remixContext;
  // DOM and Node declare the same class with different types.
  const routeData = serverHandoffStream ? await text(serverHandoffStream as NodeReadableStream) : '';
  const html = await renderDocument(
    <DocumentContext.Provider
      value={{
        nonce,
        requestId: context.requestId,
        buildId: remixContext.manifest.version,
        i18n: context.translations.instance(locale.code),
        theme: context.theme,
        visitor: toVisitor(context.session),
        icons,
        staticParts,
        remix: {
          manifest: remixContext.manifest,
          serverHandoffString: remixContext.serverHandoffString,
          routeData,
          translations: context.translations.script(
            locale.code,
            page ? ['common', page.namespace] : ['common'],
          ),
        },
      }}
    >
      <RemixServer context={documentContext} url={request.url} />
    </DocumentContext.Provider>,
    icons.pending,
  );
  staticParts.renderMissing();
  // A body of bytes takes less time than a text, which `Response` copies twice.
  return new Response(Buffer.from(html), { headers, status });
}

/**
 * For documents with a nonce. The page cache sets the policy of a cached page, with the hashes of its inline scripts.
 */
function setContentSecurityPolicy(headers: Headers, nonce: string, env: PolicyEnv): void {
  const policy = documentPolicy([`'nonce-${nonce}'`], env, import.meta.env.DEV);
  for (const [name, value] of Object.entries(policy)) headers.set(name, value);
}

/**
 * Logs errors of loaders and actions. Aborted requests and what Remix itself rejects (such as a form for a page without
 * an action) are not logged here: the request's log line has their status.
 */
export function handleError(error: unknown, { context }: { context: AppLoadContext }) {
  if (context.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  const { log, requestId } = context;
  log.error({ err: error, requestId }, 'a route failed');
}

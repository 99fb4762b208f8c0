import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { AppLoadContext, EntryContext } from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { renderToString } from 'react-dom/server';
import { DocumentContext } from './components/document/document-context.ts';
import { documentScript } from './components/document/document-scripts.tsx';
import { localeOfPath, stripLocale } from './i18n/locales.ts';
import { pageAtPath } from './i18n/localized-page.ts';
import type { Namespace } from './pages.ts';
import { documentPolicy } from './server/content-policy/document-policy.ts';
import { toVisitor } from './server/rendering/visitor.ts';

/**
 * In milliseconds: the limit for promises that loaders return unresolved. No loader of this site does. Remix never
 * clears this timer, which keeps the document in memory until it fires.
 */
export const streamTimeout = 1_000;

/**
 * Renders a document completely before its first byte is sent. Nothing in the pages is slow enough to be worth
 * streaming, and the status and the cookies can change until the end. The document includes the data of the loaders,
 * which Remix would stream after it. Its policy allows the inline script by the hash of the text that was written, and
 * never of one that is found in the HTML: injected markup would be allowed.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  // The page's action has responded with a file.
  if (headers.has('content-disposition')) {
    const [file] = Object.values(remixContext.staticHandlerContext.actionData ?? {});
    return Response.json(file, { headers, status });
  }
  const { pathname } = new URL(request.url);
  const locale = localeOfPath(pathname);
  const page = pageAtPath(stripLocale(pathname));
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-language', locale.iso);
  const { serverHandoffStream, ...remix } = remixContext;
  // DOM and Node declare the same class with different types.
  const routeData = serverHandoffStream ? await text(serverHandoffStream as NodeReadableStream) : '';
  const namespaces: Namespace[] = page ? ['common', page.namespace] : ['common'];
  const translations = context.translations.script(locale.code, namespaces);
  const script = documentScript({ remix, routeData, locale, translations });
  const policy = documentPolicy(script, context.env, import.meta.env.DEV);
  for (const [name, value] of Object.entries(policy)) headers.set(name, value);
  // Not to a stream: React 18 inserts NUL where a character of several bytes does not fit into a block
  // (facebook/react#26228).
  const html = renderToString(
    <DocumentContext.Provider
      value={{
        requestId: context.requestId,
        buildId: remixContext.manifest.version,
        i18n: context.translations.instance(locale.code),
        theme: context.theme,
        visitor: toVisitor(context.session),
        script,
        entryModule: remixContext.manifest.entry.module,
      }}
    >
      <RemixServer context={remix} url={request.url} />
    </DocumentContext.Provider>,
  );
  const document = `<!DOCTYPE html>${import.meta.env.PROD ? markHead(html) : html}`;
  return new Response(document, { headers, status });
}

/**
 * Marks `<meta>` and `<link>` as the site's own, for `foreign-nodes.ts`: Remix's components write most of them. React
 * escapes `<` and `>` in texts and attributes. In development React would report the attributes.
 */
function markHead(html: string): string {
  const end = html.indexOf('</head>');
  const head = html.slice(0, end).replaceAll(/<(?:meta|link) [^>]*(?=\/>)/g, '$& data-site=""');
  return head + html.slice(end);
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

import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { loadDocumentInstead } from '../../client/navigation/load-page.ts';

/** Responds to every path without a route. */
export function loader({ request }: LoaderFunctionArgs) {
  const url = new URL(request.url);
  throw new Response(null, { status: 404, statusText: `Page not found: ${url.pathname}${url.search}` });
}

export function clientLoader({ serverLoader }: ClientLoaderFunctionArgs) {
  return loadDocumentInstead(serverLoader);
}

export default function NotFoundPage() {
  return null;
}

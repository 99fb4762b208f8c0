import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { loadDocumentInstead } from '../../client/navigation/load-page.ts';
import { pageNotFound } from '../../pages.ts';

/** Responds to every path without a route. */
export function loader({ request }: LoaderFunctionArgs) {
  throw pageNotFound(new URL(request.url), 'missing');
}

export function clientLoader({ serverLoader }: ClientLoaderFunctionArgs) {
  return loadDocumentInstead(serverLoader);
}

export default function NotFoundPage() {
  return null;
}

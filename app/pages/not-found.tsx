import type { LoaderFunctionArgs } from '@remix-run/node';

/** Every path that no other route has. */
export function loader({ request }: LoaderFunctionArgs) {
  const url = new URL(request.url);
  throw new Response(null, { status: 404, statusText: `Page not found: ${url.pathname}${url.search}` });
}

export default function NotFoundPage() {
  return null;
}

import type { LoaderFunctionArgs } from '@remix-run/node';
import { publicContext } from '../server/public-context.ts';

/** What crawlers may read: every page (RFC 9309). Sign-in and the interfaces for programs have nothing to find. */
export function loader({ request, context }: LoaderFunctionArgs): Response {
  const { appOrigin } = publicContext(context, request).env;
  const lines = [
    'User-agent: *',
    'Disallow: /auth/',
    'Disallow: /api/',
    '',
    `Sitemap: ${appOrigin}/sitemap.xml`,
    '',
  ];
  return new Response(lines.join('\n'), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  });
}

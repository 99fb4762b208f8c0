import type { LoaderFunctionArgs } from '@remix-run/node';

/** robots.txt (RFC 9309): crawlers may read every page, but not sign-in addresses and APIs. */
export function loader({ context }: LoaderFunctionArgs): Response {
  const { appOrigin } = context.env;
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

import type { LoaderFunctionArgs } from '@remix-run/node';
import { defaultLocale, type Locale, locales, localizePath } from '../i18n/locales.ts';
import { isForMembers, pages } from '../pages.ts';

/**
 * Every page that visitors without a session may open, in every language, each with its address in all languages: the sitemaps protocol
 * (https://www.sitemaps.org/protocol.html) with alternates
 * (https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap).
 */
export function loader({ context }: LoaderFunctionArgs): Response {
  const { appOrigin } = context.env;
  return new Response(renderSitemap(appOrigin, new Date(import.meta.env.BUILT_AT)), {
    headers: {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    },
  });
}

function renderSitemap(origin: string, lastModified: Date): string {
  const open = pages.filter((page) => !isForMembers(page));
  const entries = open.flatMap(({ slug }) =>
    locales.map((locale) => renderEntry(`/${slug}`, locale, origin, lastModified)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entries.join('\n')}
</urlset>
`;
}

function renderEntry(path: string, locale: Locale, origin: string, lastModified: Date): string {
  const address = (other: Locale) => origin + localizePath(path, other);
  const alternates = [
    ...locales.map((other) => [other.iso, address(other)] as const),
    ['x-default', address(defaultLocale)] as const,
  ];
  return `  <url>
    <loc>${address(locale)}</loc>
    <lastmod>${lastModified.toISOString()}</lastmod>
${alternates.map(([language, href]) => `    <xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`).join('\n')}
  </url>`;
}

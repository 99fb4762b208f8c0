import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import { defaultLocale, type Locale, locales } from '../i18n/locales.ts';
import { hasParameters, pathOf } from '../i18n/localized-page.ts';
import { isForMembers, type Page, pages } from '../pages.ts';
import { parametersInSitemap } from '../server/rendering/page-sitemaps.ts';

/** The sitemaps protocol allows no more in one file. */
const MAX_ENTRIES = 50_000;

/** One page with the values of its parameters, as its address in each language. */
type Entry = { pathIn: (locale: Locale) => string; lastModified: Date | null };

/**
 * Every page that visitors without a session may open, in every language, each with its address in all languages: the sitemaps protocol
 * (https://www.sitemaps.org/protocol.html) with alternates
 * (https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap). A page with parameters
 * names its addresses in `sitemap.server.ts`. Those beyond 50,000 are left out.
 */
export async function loader({ context }: LoaderFunctionArgs): Promise<Response> {
  const open = pages.filter((page) => !isForMembers(page));
  const entries = (await Promise.all(open.map((page) => entriesOf(page, context)))).flat();
  const most = Math.floor(MAX_ENTRIES / locales.length);
  if (entries.length > most)
    context.log.warn({ entries: entries.length, most }, 'the sitemap is not complete');
  return new Response(renderSitemap(context.env.appOrigin, entries.slice(0, most)), {
    headers: {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    },
  });
}

async function entriesOf(page: Page, context: AppLoadContext): Promise<Entry[]> {
  if (!hasParameters(page)) {
    return [{ pathIn: (locale) => pathOf(page, locale), lastModified: new Date(import.meta.env.BUILT_AT) }];
  }
  const all = await parametersInSitemap(page, context);
  return all.map((params) => ({ pathIn: (locale) => pathOf(page, locale, params), lastModified: null }));
}

function renderSitemap(origin: string, entries: readonly Entry[]): string {
  const rendered = entries.flatMap((entry) => locales.map((locale) => renderEntry(entry, locale, origin)));
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${rendered.join('\n')}
</urlset>
`;
}

function renderEntry({ pathIn, lastModified }: Entry, locale: Locale, origin: string): string {
  const alternates = [
    ...locales.map((other) => [other.iso, pathIn(other)] as const),
    ['x-default', pathIn(defaultLocale)] as const,
  ];
  const modified = lastModified ? `\n    <lastmod>${lastModified.toISOString()}</lastmod>` : '';
  return `  <url>
    <loc>${origin}${pathIn(locale)}</loc>${modified}
${alternates.map(([language, path]) => `    <xhtml:link rel="alternate" hreflang="${language}" href="${origin}${path}"/>`).join('\n')}
  </url>`;
}

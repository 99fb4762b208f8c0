/** The `<head>` of a page: title, description, canonical address, alternates, share image, and structured data. */
import type { MetaDescriptor, MetaFunction } from '@remix-run/react';
import { defaultLocale, type Locale, localeOfPath, locales, stripLocale } from '../i18n/locales.ts';
import { canonicalPagePath, type PageHead } from '../i18n/localized-page.ts';
import type { loadRootData } from '../server/rendering/root-data.ts';
import { siteName } from '../site-name.ts';

type PageMetaData = PageHead & { shareImage?: string | null };

/** The `meta` function of every page. Without data, which means that a loader failed, there is only a title. */
export const pageMeta: MetaFunction<() => Promise<PageMetaData>, { root: typeof loadRootData }> = ({
  data,
  matches,
  location: { pathname },
}) => {
  const root = matches.find((match) => match.id === 'root')?.data;
  const origin = root?.origin;
  if (!data || !origin) return [{ title: siteName }];
  const current = localeOfPath(pathname);
  const address = (locale: Locale) => origin + canonicalPagePath(pathname, locale);
  return [
    { title: `${data.title} · ${siteName}` },
    { name: 'description', content: data.description },
    { property: 'og:title', content: data.title },
    { property: 'og:description', content: data.description },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: siteName },
    { property: 'og:url', content: address(current) },
    { property: 'og:locale', content: openGraphLocale(current.iso) },
    ...locales
      .filter((locale) => locale !== current)
      .map((locale) => ({ property: 'og:locale:alternate', content: openGraphLocale(locale.iso) })),
    ...(data.shareImage ? shareImage(origin + data.shareImage) : []),
    structuredData(data, current, {
      isHome: stripLocale(pathname) === '/',
      origin,
      url: address(current),
      source: root?.links.source ?? null,
    }),
    { tagName: 'link', rel: 'canonical', href: address(current) },
    { tagName: 'link', rel: 'alternate', hrefLang: 'x-default', href: address(defaultLocale) },
    ...locales.map((locale) => ({
      tagName: 'link',
      rel: 'alternate',
      hrefLang: locale.iso,
      href: address(locale),
    })),
  ];
};

/** Open Graph writes `en_US` for `en-US`. */
function openGraphLocale(iso: string): string {
  return iso.replace('-', '_');
}

/** The image that social networks and messengers show for a link (The Open Graph protocol, "Structured properties"). */
function shareImage(url: string): MetaDescriptor[] {
  return [
    { property: 'og:image', content: url },
    { property: 'og:image:type', content: 'image/png' },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    { property: 'og:image:alt', content: siteName },
    { name: 'twitter:card', content: 'summary_large_image' },
  ];
}

/**
 * What the page is, for search engines (https://schema.org/WebSite, https://schema.org/WebPage). The home page also names
 * the source code, if its address is configured. Remix escapes the text.
 */
function structuredData(
  { title, description }: PageHead,
  locale: Locale,
  { isHome, origin, url, source }: { isHome: boolean; origin: string; url: string; source: string | null },
): MetaDescriptor {
  const site = { '@type': 'WebSite', name: siteName, url: `${origin}/` };
  const code = source && { '@type': 'SoftwareSourceCode', name: siteName, codeRepository: source };
  const data = isHome
    ? {
        ...site,
        description,
        inLanguage: locales.map(({ iso }) => iso),
        ...(code ? { subjectOf: code } : {}),
      }
    : { '@type': 'WebPage', name: title, url, description, inLanguage: locale.iso, isPartOf: site };
  return { 'script:ld+json': { '@context': 'https://schema.org', ...data } };
}

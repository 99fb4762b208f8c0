/** The `<head>` of a page: title, description, canonical address and alternates in the other locales. */
import type { MetaFunction } from '@remix-run/react';
import { defaultLocale, localeOfPath, locales, localizePath } from '../i18n/locales.ts';
import type { PageHead } from '../i18n/localized-page.ts';
import type { loadRootData } from '../server/rendering/root-data.ts';
import { siteName } from '../site-name.ts';

/** The `meta` function of every page. Without data, which means that a loader failed, there is only a title. */
export const pageMeta: MetaFunction<() => Promise<PageHead>, { root: typeof loadRootData }> = ({
  data,
  matches,
  location: { pathname },
}) => {
  const origin = matches.find((match) => match.id === 'root')?.data?.origin;
  if (!data || !origin) return [{ title: siteName }];
  const title = data.title ? `${data.title} · ${siteName}` : siteName;
  const current = localeOfPath(pathname);
  const address = (locale: (typeof locales)[number]) => origin + localizePath(pathname, locale);
  return [
    { title },
    { name: 'description', content: data.description },
    { property: 'og:title', content: data.title ?? siteName },
    { property: 'og:description', content: data.description },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: siteName },
    { property: 'og:url', content: address(current) },
    { property: 'og:locale', content: openGraphLocale(current.iso) },
    ...locales
      .filter((locale) => locale !== current)
      .map((locale) => ({ property: 'og:locale:alternate', content: openGraphLocale(locale.iso) })),
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

/** What a page's head says: title, description, its own address, the same page in the other languages. */
import type { MetaDescriptor } from '@remix-run/react';
import { defaultLocale, localeOfPath, locales, localizePath } from '../i18n/locales.ts';

type HeadData = { title: string | null; description: string };

const SITE_NAME = 'Tenfold';

/** Descriptors for a page at `pathname` of the site at `origin`. Without data (an error took its place) only a title. */
export function pageMeta(
  data: HeadData | undefined,
  origin: string | undefined,
  pathname: string,
): MetaDescriptor[] {
  if (!data || !origin) return [{ title: SITE_NAME }];
  const title = data.title ? `${data.title} · ${SITE_NAME}` : SITE_NAME;
  const current = localeOfPath(pathname);
  const address = (locale: (typeof locales)[number]) => origin + localizePath(pathname, locale);
  return [
    { title },
    { name: 'description', content: data.description },
    { property: 'og:title', content: data.title ?? SITE_NAME },
    { property: 'og:description', content: data.description },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: SITE_NAME },
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
}

function openGraphLocale(iso: string): string {
  return iso.replace('-', '_');
}

import { Link, type LinkProps } from '@remix-run/react';
import { localizePath } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { type PageName, pages } from '~/pages.ts';

/** The path of a page, without a locale's prefix. */
function pathOf(name: PageName): string {
  return `/${pages.find((page) => page.name === name)?.slug ?? ''}`;
}

/** The address of a page in the language of the one that is shown. */
export function usePagePath(name: PageName): string {
  return localizePath(pathOf(name), useLocale());
}

/** A link to a page in the language of the one that is shown. */
export function PageLink({ page, ...props }: { page: PageName } & Omit<LinkProps, 'to'>) {
  return <Link prefetch="intent" {...props} to={usePagePath(page)} />;
}

import { Link, type LinkProps } from '@remix-run/react';
import { useRef } from 'react';
import { prefetchPage } from '~/client/navigation/prefetch.ts';
import { localizePath } from '~/i18n/locales.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { type PageName, pageNamed } from '~/pages.ts';
import { useIntent } from './use-intent.ts';

/** The path of a page, without a locale's prefix. */
function pathOf(name: PageName): string {
  return `/${pageNamed(name).slug}`;
}

/** The address of a page in the language of the one that is shown. */
export function usePagePath(name: PageName): string {
  return localizePath(pathOf(name), useLocale());
}

/** A link to a page in the language of the one that is shown. What the page needs is fetched when it is about to be followed. */
export function PageLink({ page, ...props }: { page: PageName } & Omit<LinkProps, 'to'>) {
  const locale = useLocale();
  const link = useRef<HTMLAnchorElement>(null);
  const intent = useIntent(link, () => prefetchPage(pageNamed(page), locale));
  return <Link {...props} {...intent} ref={link} to={usePagePath(page)} />;
}

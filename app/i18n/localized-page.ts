/** What a page has in each locale: a route id, addresses, a title and a description. */
import type { TFunction } from 'i18next';
import { type Page, pageNamed, pages, type SitePageDefinition } from '../pages.ts';
import { type Locale, localeOfPath, localizePath, stripLocale } from './locales.ts';
import {
  canonicalPath,
  fillSlug,
  matchesSlug,
  type ParamsOf,
  type PlainNameOf,
  parametersOf,
  type TargetOf,
} from './slugs.ts';

export type PageHead = {
  title: string;
  description: string;
};

/** An address to return to after a form or a sign-in may have so many characters. Of a longer one only the path is used. */
export const MAX_RETURN_TO_LENGTH = 2048;

/** The id of a page's route: `index___en`, `test-message___fr`. */
export function routeIdOf({ name }: { name: string }, { code }: Pick<Locale, 'code'>): string {
  return `${name}___${code}`;
}

/** A page and, if it has parameters, their values: `{ page: 'item', params: { id: '7' } }`. */
export type PageTarget = TargetOf<SitePageDefinition>;

/** The values of the parameters of a page, not encoded. */
export type PageParams<Name extends SitePageDefinition['name']> = ParamsOf<
  Extract<SitePageDefinition, { name: Name }>
>;

type PlainPage = Page & { name: PlainNameOf<SitePageDefinition> };

/** Whether a page has parameters. */
export function hasParameters({ slug }: Pick<Page, 'slug'>): boolean {
  return parametersOf(slug).length > 0;
}

/** The pages without parameters, to which a menu or a list can link. */
export const plainPages: readonly PlainPage[] = pages.filter(
  (page): page is PlainPage => !hasParameters(page),
);

/**
 * A page's path: `/`, `/test-message`, `/fr`, `/fr/test-message`. For a page with parameters and without `params` it is the
 * path of its route: `/fr/items/:id`.
 */
export function pathOf(
  { slug }: Pick<Page, 'slug'>,
  locale: Locale,
  params?: Readonly<Record<string, string>>,
): string {
  return localizePath(`/${fillSlug(slug, params)}`, locale);
}

/** The path of a page with the values of its parameters: `/fr/items/7`. */
export function pathTo({ page, params }: PageTarget, locale: Locale): string {
  return pathOf(pageNamed(page), locale, params);
}

/** The page at a path without a locale prefix, or null. Of several the one with the fewest parameters, as in React Router. */
export function pageAtPath(pathname: string, among: readonly Page[] = pages): Page | null {
  const [page = null] = among
    .filter(({ slug }) => matchesSlug(slug, pathname))
    .sort((one, other) => parametersOf(one.slug).length - parametersOf(other.slug).length);
  return page;
}

/** The path of a page as `pathTo` spells it, in another language if one is given. */
export function canonicalPagePath(pathname: string, locale: Locale = localeOfPath(pathname)): string {
  return localizePath(canonicalPath(stripLocale(pathname)), locale);
}

/** The path of a page's payload: `/_payload.json`, `/fr/test-message/_payload.json`. It is the same for all parameters. */
export function payloadPathOf(page: Pick<Page, 'slug'>, locale: Locale): string {
  return `${pathOf(page, locale).replace(/\/$/, '')}/_payload.json`;
}

/** A page's title and description, from the translations of its namespace. */
export function pageHead({ namespace }: Pick<Page, 'namespace'>, t: TFunction): PageHead {
  return {
    title: t('title', { ns: namespace }),
    description: t('description', { ns: namespace }),
  };
}

/** What a page has in each locale: a route id, addresses, a title and a description. */
import type { TFunction } from 'i18next';
import type { Page } from '../pages.ts';
import { type Locale, localizePath } from './locales.ts';

export type PageHead = {
  /** Null on the home page, whose document title is the name of the site. */
  title: string | null;
  description: string;
};

/** An address to return to after a form or a sign-in may have so many characters. Of a longer one only the path is used. */
export const MAX_RETURN_TO_LENGTH = 2048;

/** The id of a page's route: `index___en`, `test-message___fr`. */
export function routeIdOf({ name }: { name: string }, { code }: Pick<Locale, 'code'>): string {
  return `${name}___${code}`;
}

/** A page's path: `/`, `/test-message`, `/fr`, `/fr/test-message`. */
export function pathOf({ slug }: Pick<Page, 'slug'>, locale: Locale): string {
  return localizePath(`/${slug}`, locale);
}

/** The path of a page's payload: `/_payload.json`, `/fr/test-message/_payload.json`. */
export function payloadPathOf(page: Pick<Page, 'slug'>, locale: Locale): string {
  return `${pathOf(page, locale).replace(/\/$/, '')}/_payload.json`;
}

/** A page's title and description, from the translations of its namespace. */
export function pageHead({ name, namespace }: Pick<Page, 'name' | 'namespace'>, t: TFunction): PageHead {
  return {
    title: name === 'index' ? null : t('title', { ns: namespace }),
    description: t('description', { ns: namespace }),
  };
}

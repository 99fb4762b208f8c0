/** What a page says about itself in its head, in words of its own namespace. */
import type { TFunction } from 'i18next';
import type { Page } from '../pages.ts';

export type PageHead = {
  /** Null on the home page, whose title is the site's name. */
  title: string | null;
  description: string;
};

export function pageHead({ name, namespace }: Pick<Page, 'name' | 'namespace'>, t: TFunction): PageHead {
  return {
    title: name === 'index' ? null : t('title', { ns: namespace }),
    description: t('description', { ns: namespace }),
  };
}

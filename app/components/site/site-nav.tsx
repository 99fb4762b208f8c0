import { useTranslation } from 'react-i18next';
import { plainPages } from '~/i18n/localized-page.ts';
import { isForGroups, isForMembers, type Page, type PageName } from '~/pages.ts';
import type { Visitor } from '~/server/rendering/visitor.ts';
import { PageLink } from './page-link.tsx';

type Props = {
  /** The current page, which is marked; null for an address without a page. */
  current: PageName | null;
  visitor: Visitor | undefined;
};

/** Links to the pages of the navigation that the visitor may open. */
export function SiteNav({ current, visitor }: Props) {
  const { t } = useTranslation();
  const isOpen = (page: Page) =>
    visitor?.state === 'signed-in' ? isForGroups(page, visitor.groups ?? []) : !isForMembers(page);
  const inNavigation = plainPages.filter(
    (page) => (page.linkedFrom ?? 'navigation') === 'navigation' && isOpen(page),
  );
  return (
    <nav aria-label={t('nav.label')}>
      <ul className="-mx-2.5 flex flex-wrap gap-x-1 max-[25rem]:text-[0.9375rem]">
        {inNavigation.map(({ name }) => (
          <li key={name}>
            <PageLink
              page={name}
              aria-current={current === name ? 'page' : undefined}
              className="relative flex min-h-11 items-center rounded-control px-2.5 text-ink-muted hover:text-primary aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-2.5 aria-[current=page]:after:bottom-1.5 aria-[current=page]:after:h-0.5 aria-[current=page]:after:bg-primary"
            >
              {t(`nav.pages.${name}`)}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

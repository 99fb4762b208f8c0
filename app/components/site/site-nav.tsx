import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import { stripLocale } from '~/i18n/locales.ts';
import { isForMembers, pageAtPath, pages } from '~/pages.ts';
import { PageLink } from './page-link.tsx';

/** Links to the pages of the navigation that the visitor may open. The current page is marked. */
export function SiteNav() {
  const { t } = useTranslation();
  const current = pageAtPath(stripLocale(useLocation().pathname));
  const isMember = useRootData()?.visitor.state === 'signed-in';
  const inNavigation = pages.filter(
    (page) => page.linkedFrom !== 'footer' && (isMember || !isForMembers(page)),
  );
  return (
    <nav aria-label={t('nav.label')}>
      <ul className="-mx-2.5 flex flex-wrap gap-x-1 max-[25rem]:text-[0.9375rem]">
        {inNavigation.map(({ name }) => (
          <li key={name}>
            <PageLink
              page={name}
              aria-current={current?.name === name ? 'page' : undefined}
              className="relative flex min-h-11 items-center rounded-control px-2.5 text-ink-muted transition-colors hover:text-primary aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-2.5 aria-[current=page]:after:bottom-1.5 aria-[current=page]:after:h-0.5 aria-[current=page]:after:bg-primary"
            >
              {t(`nav.pages.${name}`)}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

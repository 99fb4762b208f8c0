import { useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { stripLocale } from '~/i18n/locales.ts';
import { pageAtPath } from '~/i18n/localized-page.ts';
import { useVisitor } from '../document/visitor.ts';
import { AccountMenu } from './account-menu.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { PageLink } from './page-link.tsx';
import { SiteNav } from './site-nav.tsx';
import { ThemeControl } from './theme-control.tsx';
import { Wordmark } from './wordmark.tsx';

/**
 * Logo, navigation, language, theme and account. Below 80rem the navigation has a line of its own, the last one. The
 * document contains it in both places, of which one is displayed, so that the focus and screen readers follow the visual
 * order at every width. With the CSS property `order` they would not.
 */
export function SiteHeader() {
  const { t } = useTranslation();
  const current = pageAtPath(stripLocale(useLocation().pathname))?.name ?? null;
  const visitor = useVisitor();
  return (
    <header className="border-b border-line bg-canvas print:hidden">
      <div className="page-width relative flex flex-wrap items-center gap-x-2 gap-y-1 py-3 sm:gap-x-8 xl:min-h-18">
        <PageLink page="index" aria-label={t('nav.toHome')} className="me-auto flex rounded-control xl:me-0">
          <Wordmark />
        </PageLink>
        <div className="me-auto max-xl:hidden">
          <SiteNav current={current} visitor={visitor} />
        </div>
        <div className="ms-auto flex flex-wrap items-center justify-end gap-1 sm:gap-3">
          <LanguageMenu />
          <div className="max-sm:hidden">
            <ThemeControl />
          </div>
          <AccountMenu />
        </div>
        <div className="basis-full xl:hidden">
          <SiteNav current={current} visitor={visitor} />
        </div>
      </div>
    </header>
  );
}

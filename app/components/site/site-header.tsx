import { useTranslation } from 'react-i18next';
import { AccountMenu } from './account-menu.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { PageLink } from './page-link.tsx';
import { SiteNav } from './site-nav.tsx';
import { ThemeControl } from './theme-control.tsx';
import { Wordmark } from './wordmark.tsx';

/** Logo, navigation, language, theme and account. On small screens the navigation has a line of its own. */
export function SiteHeader() {
  const { t } = useTranslation();
  return (
    <header className="border-b border-line bg-canvas print:hidden">
      <div className="page-width relative flex flex-wrap items-center gap-x-8 gap-y-1 py-3 lg:min-h-18">
        <PageLink page="index" aria-label={t('nav.toHome')} className="me-auto flex rounded-control lg:me-0">
          <Wordmark />
        </PageLink>
        <div className="max-lg:order-last max-lg:basis-full lg:me-auto">
          <SiteNav />
        </div>
        <div className="ms-auto flex flex-wrap items-center justify-end gap-1 sm:gap-3">
          <LanguageMenu />
          <div className="max-sm:hidden">
            <ThemeControl />
          </div>
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NavigationProgress } from '~/components/document/navigation-progress.tsx';
import { RouteAnnouncer } from '~/components/document/route-announcer.tsx';
import { LanguageOffer } from '~/components/site/language-offer.tsx';
import { NewVersionNotice } from '~/components/site/new-version-notice.tsx';
import { SiteFooter } from '~/components/site/site-footer.tsx';
import { SiteHeader } from '~/components/site/site-header.tsx';
import { SiteNotices } from '~/components/site/site-notices.tsx';

/** Skip link, header, language offer, notices, the page, and the footer. */
export function DefaultLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="absolute start-4 top-3 z-30 -translate-y-24 rounded-control bg-primary px-4 py-2 font-medium text-on-primary focus:translate-y-0"
      >
        {t('skipLink')}
      </a>
      <NavigationProgress />
      <SiteHeader />
      <LanguageOffer />
      <SiteNotices />
      <NewVersionNotice />
      <main id="content" tabIndex={-1} className="page-width grow">
        {children}
      </main>
      <SiteFooter />
      <RouteAnnouncer />
    </div>
  );
}

import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { PageLink } from '../../components/site/page-link.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { PageSection } from '../../components/ui/page-section.tsx';
import { pages } from '../../pages.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { CallDiagram } from './call-diagram.tsx';
import { LanguageFold } from './language-fold.tsx';

export function loader(args: LoaderFunctionArgs) {
  return pageData('index', args);
}

export function clientLoader(args: ClientLoaderFunctionArgs) {
  return loadPage('index', args);
}

export const meta = pageMeta;

export default function HomePage() {
  const { t } = useTranslation('home');
  return (
    <>
      <header className="grid grid-cols-1 items-end gap-x-16 gap-y-8 pt-12 pb-10 sm:pt-20 lg:grid-cols-[1.75fr_1fr] lg:pb-14">
        <h1 tabIndex={-1} className="text-title">
          {t('title')}
        </h1>
        <div>
          <p className="text-lead text-ink-muted">{t('lead')}</p>
          <div className="mt-6 flex flex-wrap gap-3">
            <PageLink page="test-message" className={buttonClass('primary')}>
              {t('toTestMessage')}
            </PageLink>
          </div>
        </div>
      </header>
      <LanguageFold />
      <PageSection title={t('call.title')} intro={t('call.intro')}>
        <CallDiagram />
      </PageSection>
      <PageSection title={t('promises.title')}>
        <Promises />
      </PageSection>
      <PageSection title={t('next.title')}>
        <NextPages />
      </PageSection>
    </>
  );
}

function Promises() {
  const { t } = useTranslation('home');
  return (
    <ul className="grid grid-cols-1 gap-8 sm:grid-cols-3 sm:gap-10">
      {(['scripts', 'addresses', 'privacy'] as const).map((key) => (
        <li key={key} className="border-t-2 border-ink pt-4">
          <h3 className="text-subheading">{t(`promises.${key}.title`)}</h3>
          <p className="mt-2 text-ink-muted">{t(`promises.${key}.text`)}</p>
        </li>
      ))}
    </ul>
  );
}

/** Links to the pages that the home page describes: those with a text under `next`. */
function NextPages() {
  const { t, i18n } = useTranslation('home');
  const described = pages.filter(({ name }) => i18n.exists(`next.${name}.title`, { ns: 'home' }));
  return (
    <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
      {described.map(({ name }) => (
        <li key={name}>
          <PageLink
            page={name}
            className="group flex h-full items-center gap-6 rounded-card border border-line bg-surface p-6 transition-colors hover:border-primary active:bg-sunken sm:p-8"
          >
            <span className="min-w-0 grow">
              <span className="block font-display text-subheading font-semibold group-hover:text-primary">
                {t(`next.${name}.title`)}
              </span>
              <span className="mt-1 block text-ink-muted">{t(`next.${name}.text`)}</span>
            </span>
            <Icon name="lucide:arrow-right" className="size-6 text-primary" />
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

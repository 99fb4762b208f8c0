import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { PageLink } from '../../components/site/page-link.tsx';
import { useSiteLinks } from '../../components/site/site-links.ts';
import { buttonClass } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import { PageSection } from '../../components/ui/page-section.tsx';
import { RichText } from '../../components/ui/rich-text.tsx';
import { plainPages } from '../../i18n/localized-page.ts';
import type { Texts } from '../../i18n/texts.generated.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { CallDiagram } from './call-diagram.tsx';
import { LanguageFold } from './language-fold.tsx';
import { RunIt } from './run-it.tsx';

export function loader(args: LoaderFunctionArgs) {
  return pageData('index', args);
}

export function clientLoader(args: ClientLoaderFunctionArgs) {
  return loadPage('index', args);
}

export const meta = pageMeta;

export default function HomePage() {
  const { t } = useTranslation('home');
  const { source, docs } = useSiteLinks();
  return (
    <>
      <header className="grid grid-cols-1 gap-x-16 gap-y-7 pt-10 pb-12 sm:pt-16 lg:grid-cols-[1.65fr_1fr] lg:grid-rows-[auto_auto_1fr] lg:pb-14">
        <Hero source={source} />
      </header>
      <LanguageFold />
      <PageSection id="run" title={t('run.title')} intro={t('run.intro')}>
        <RunIt source={source} docs={docs} />
      </PageSection>
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

/** What the site is, for whom, and on which stack. */
function Hero({ source }: { source: string | null }) {
  const { t } = useTranslation('home');
  return (
    <>
      <p className="font-medium text-balance text-primary lg:col-span-2">{t('eyebrow')}</p>
      <h1 tabIndex={-1} className="text-hero trim-start">
        {t('title')}
      </h1>
      <p className="text-lead text-ink-muted trim-start lg:row-span-2">{t('lead')}</p>
      <div className="flex flex-wrap gap-3 self-start">
        <PageLink page="test-message" className={buttonClass('primary')}>
          {t('toTestMessage')}
        </PageLink>
        <CodeLink source={source} />
      </div>
    </>
  );
}

/** Leads to the source code if its address is configured, else to the section with the commands. */
function CodeLink({ source }: { source: string | null }) {
  const { t } = useTranslation('home');
  return (
    <a href={source ?? '#run'} className={buttonClass('secondary')}>
      {t(source === null ? 'toCommands' : 'toSource')}
    </a>
  );
}

function Promises() {
  const { t } = useTranslation('home');
  const privacyPage = <PageLink page="privacy" className="text-link" />;
  return (
    <ul className="grid grid-cols-1 gap-8 sm:grid-cols-3 sm:gap-x-10 sm:gap-y-0">
      {(['scripts', 'addresses', 'privacy'] as const).map((key) => (
        <li
          key={key}
          className="border-t-2 border-ink pt-4 grid-cols-1 sm:row-span-2 sm:grid sm:grid-rows-subgrid"
        >
          <h3 className="text-subheading">{t(`promises.${key}.title`)}</h3>
          <p className="mt-2 text-ink-muted">
            <RichText text={t(`promises.${key}.text`)} elements={{ privacy: privacyPage }} />
          </p>
        </li>
      ))}
    </ul>
  );
}

type HomeText = keyof Texts['home'];

/** Links to the pages that the home page describes: those with a text under `next`. */
function NextPages() {
  const { t, i18n } = useTranslation('home');
  // This checks the keys that are used below. Their types would be empty in a site without any of these texts.
  const described = plainPages.filter(({ name }) => i18n.exists(`next.${name}.title`, { ns: 'home' }));
  return (
    <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
      {described.map(({ name }) => (
        <li key={name}>
          <PageLink
            page={name}
            className="group flex h-full items-start gap-6 rounded-card border border-line bg-surface p-6 hover:border-primary active:bg-sunken sm:p-8"
          >
            <span className="min-w-0 grow">
              <span className="block font-display text-subheading font-semibold transition-colors group-hover:text-primary">
                {t(`next.${name}.title` as string as HomeText)}
              </span>
              <span className="mt-1 block text-ink-muted">
                {t(`next.${name}.text` as string as HomeText)}
              </span>
            </span>
            <Icon name="lucide:arrow-right" className="size-6 self-center text-primary" />
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

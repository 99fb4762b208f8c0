import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { useRootData } from '../../components/document/root-data.ts';
import { useSiteLinks } from '../../components/site/site-links.ts';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { PageSection } from '../../components/ui/page-section.tsx';
import { RichText } from '../../components/ui/rich-text.tsx';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { AccountPageChoice } from './account-page-choice.tsx';
import { cookies } from './cookies.ts';
import { MessageChoice } from './message-choice.tsx';
import { StoredItem, StoredItems } from './stored-items.tsx';

export function loader(args: LoaderFunctionArgs) {
  return pageData('privacy', args);
}

export function clientLoader(args: ClientLoaderFunctionArgs) {
  return loadPage('privacy', args);
}

export const meta = pageMeta;

/**
 * What the site stores, in the default configuration. docs/deployment.md lists the settings that require a change of
 * the texts.
 */
export default function PrivacyPage() {
  const { t } = useTranslation('privacy');
  const { privacyContact } = useSiteLinks();
  const isHttps = useRootData()?.origin.startsWith('https:') ?? true;
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <div className="-mt-12 sm:-mt-16">
        <PageSection id="cookies" title={t('cookies.title')} intro={t('cookies.intro')}>
          <BrowserItems isHttps={isHttps} />
        </PageSection>
        <PageSection title={t('server.title')} intro={t('server.intro')}>
          <ServerItems />
        </PageSection>
        <PageSection title={t('cloud.title')} intro={t('cloud.intro')}>
          <CloudItems />
        </PageSection>
        <PageSection title={t('receivers.title')}>
          <p className="max-w-prose">{t('receivers.text')}</p>
        </PageSection>
        <PageSection title={t('choices.title')}>
          <Choices privacyContact={privacyContact} />
        </PageSection>
      </div>
    </>
  );
}

function BrowserItems({ isHttps }: { isHttps: boolean }) {
  const { t } = useTranslation('privacy');
  return (
    <StoredItems>
      {cookies.map(({ name, forServer, key }) => (
        <StoredItem
          key={key}
          name={
            <code dir="ltr" translate="no" className="text-[0.9375em] break-all">
              {forServer && isHttps ? `__Host-${name}` : name}
            </code>
          }
          purpose={t(`cookies.${key}.purpose`)}
          lifetime={t(`cookies.${key}.lifetime`)}
        />
      ))}
      <StoredItem name={t('storage.name')} purpose={t('storage.purpose')} lifetime={t('storage.lifetime')} />
    </StoredItems>
  );
}

function ServerItems() {
  const { t } = useTranslation('privacy');
  return (
    <StoredItems>
      {(['log', 'sessions', 'limits'] as const).map((key) => (
        <StoredItem
          key={key}
          name={t(`server.${key}.name`)}
          purpose={t(`server.${key}.purpose`)}
          lifetime={t(`server.${key}.lifetime`)}
        />
      ))}
    </StoredItems>
  );
}

function CloudItems() {
  const { t } = useTranslation('privacy');
  return (
    <StoredItems>
      {(['account', 'messages', 'guest', 'errors'] as const).map((key) => (
        <StoredItem
          key={key}
          name={t(`cloud.${key}.name`)}
          purpose={t(`cloud.${key}.purpose`)}
          lifetime={t(`cloud.${key}.lifetime`)}
        />
      ))}
    </StoredItems>
  );
}

function Choices({ privacyContact }: { privacyContact: string | null }) {
  const { t } = useTranslation('privacy');
  return (
    <ul className="grid max-w-prose list-disc gap-3 ps-5 marker:text-ink-muted">
      <MessageChoice />
      <AccountPageChoice />
      <li>{t('choices.signOut')}</li>
      <li>{t('choices.browser')}</li>
      <li>
        <AccountChoice privacyContact={privacyContact} />
      </li>
    </ul>
  );
}

/** Whom to ask, with the contact that the operator configured. */
function AccountChoice({ privacyContact }: { privacyContact: string | null }) {
  const { t } = useTranslation('privacy');
  if (privacyContact === null) return <span>{t('choices.account')}</span>;
  return (
    <RichText
      text={t('choices.accountWithContact', {
        contact: privacyContact.replace(/^(?:mailto:|https:\/\/)/, ''),
      })}
      elements={{
        // biome-ignore lint/a11y/useAnchorContent: the translation has the text of the link
        address: <a href={privacyContact} dir="ltr" className="text-link break-words" />,
      }}
    />
  );
}

import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import {
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
} from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { PageSection } from '../../components/ui/page-section.tsx';
import { localeOfPath } from '../../i18n/locales.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import type { loadRootData } from '../../server/rendering/root-data.ts';
import { pageMeta } from '../page-meta.ts';
import { formatSamples } from './samples.ts';
import { TypeElements } from './type-elements.tsx';
import { TypeFamilies } from './type-families.tsx';
import { TypeNumerals } from './type-numerals.tsx';
import { TypeScale } from './type-scale.tsx';
import { TypeScripts } from './type-scripts.tsx';
import { TypeTester } from './type-tester.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const locale = localeOfPath(new URL(args.request.url).pathname);
  return { ...(await pageData('typography-demo', args)), samples: formatSamples(locale) };
}

/** On the way here from another page there is nothing of the server's to agree with: this browser's own data will do. */
export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const locale = localeOfPath(new URL(args.request.url).pathname);
  return { ...(await loadPage('typography-demo', args)), samples: formatSamples(locale) };
}

/** Nothing that is loaded depends on the query, so setting the sample asks the server for nothing. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  const onlyQuery = currentUrl.pathname === nextUrl.pathname && formMethod !== 'POST';
  return onlyQuery ? false : defaultShouldRevalidate;
}

export const meta: MetaFunction<typeof loader, { root: typeof loadRootData }> = ({
  data,
  matches,
  location,
}) => pageMeta(data, matches.find((match) => match.id === 'root')?.data?.origin, location.pathname);

export default function TypographyDemoPage() {
  const { t } = useTranslation('typography-demo');
  const { samples } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TypeTester />
      <PageSection title={t('families.title')} intro={t('families.intro')}>
        <TypeFamilies />
      </PageSection>
      <PageSection title={t('scale.sectionTitle')} intro={t('scale.intro')}>
        <TypeScale />
      </PageSection>
      <PageSection title={t('text.title')} intro={t('text.intro')}>
        <TypeElements />
      </PageSection>
      <PageSection title={t('numerals.title')} intro={t('numerals.intro')}>
        <TypeNumerals samples={samples} />
      </PageSection>
      <PageSection title={t('scripts.title')} intro={t('scripts.intro')}>
        <TypeScripts />
      </PageSection>
    </>
  );
}

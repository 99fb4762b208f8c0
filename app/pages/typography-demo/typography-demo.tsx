import type { LoaderFunctionArgs } from '@remix-run/node';
import {
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
} from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { browserTranslations } from '../../client/page-data/browser-translations.ts';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { PageSection } from '../../components/ui/page-section.tsx';
import { type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { formatSamples } from './format-samples.ts';
import { TypeElements } from './type-elements.tsx';
import { TypeFamilies } from './type-families.tsx';
import { TypeNumerals } from './type-numerals.tsx';
import { TypeScale } from './type-scale.tsx';
import { TypeScripts } from './type-scripts.tsx';
import { TypeTester } from './type-tester.tsx';

/** The samples by language. Creating the formatters of one language takes longer than rendering the page. */
const samplesOf = new Map<LocaleCode, ReturnType<typeof formatSamples>>();

export async function loader(args: LoaderFunctionArgs) {
  const locale = localeOfPath(new URL(args.request.url).pathname);
  const page = await pageData('typography-demo', args);
  const { t } = args.context.translations.instance(locale.code);
  const samples = samplesOf.get(locale.code) ?? formatSamples(locale, t);
  samplesOf.set(locale.code, samples);
  return { ...page, samples };
}

/** Client-side navigation does not render on the server, so the browser formats the samples. */
export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const locale = localeOfPath(new URL(args.request.url).pathname);
  const page = await loadPage('typography-demo', args);
  return { ...page, samples: formatSamples(locale, browserTranslations.instance(locale.code).t) };
}

/** The loader's data does not depend on the query, so a change of the sample's settings needs no request. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  const onlyQueryChanged = currentUrl.pathname === nextUrl.pathname && formMethod !== 'POST';
  return onlyQueryChanged ? false : defaultShouldRevalidate;
}

export const meta = pageMeta;

export default function TypographyDemoPage() {
  const { t } = useTranslation('typography-demo');
  const { samples } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TypeTester />
      <PageSection isStatic title={t('families.title')} intro={t('families.intro')}>
        <TypeFamilies />
      </PageSection>
      <PageSection isStatic title={t('scale.sectionTitle')} intro={t('scale.intro')}>
        <TypeScale />
      </PageSection>
      <PageSection isStatic title={t('text.title')} intro={t('text.intro')}>
        <TypeElements />
      </PageSection>
      <PageSection isStatic title={t('numerals.title')} intro={t('numerals.intro')}>
        <TypeNumerals {...samples} />
      </PageSection>
      <PageSection isStatic title={t('scripts.title')} intro={t('scripts.intro')}>
        <TypeScripts />
      </PageSection>
    </>
  );
}

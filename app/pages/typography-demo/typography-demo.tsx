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
import { localeOfPath } from '../../i18n/locales.ts';
import type { PreparedIcons } from '../../server/icons/icons.ts';
import { requestLocale } from '../../server/preferences/locale-detection.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { formatSamples } from './format-samples.ts';
import { TypeElements } from './type-elements.tsx';
import { TypeFamilies } from './type-families.tsx';
import { TypeNumerals } from './type-numerals.tsx';
import { TypeScale } from './type-scale.tsx';
import { TypeScripts } from './type-scripts.tsx';
import { iconName, parseTypeSettings } from './type-settings.ts';
import { TypeTester } from './type-tester.tsx';

export async function loader(args: LoaderFunctionArgs) {
  const locale = await requestLocale(args);
  const page = await pageData('typography-demo', args);
  const icon = iconName(parseTypeSettings(new URL(args.request.url).searchParams));
  const icons = await args.context.icons.prepare(icon === null ? [] : [icon]);
  const t = await args.context.i18n.getFixedT(locale.code);
  return { ...page, samples: formatSamples(locale, t), icons };
}

/** Client-side navigation does not render on the server, so the browser formats the samples and loads the icon. */
export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const icons: PreparedIcons = {};
  const locale = localeOfPath(new URL(args.request.url).pathname);
  const page = await loadPage('typography-demo', args);
  return { ...page, samples: formatSamples(locale, browserTranslations.instance(locale.code).t), icons };
}

/** A change of the sample's settings does not load the page's data anew. The browser requests an icon that it lacks. */
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
  const { samples, icons } = useLoaderData<typeof clientLoader>();
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TypeTester icons={icons} />
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
        <TypeNumerals {...samples} />
      </PageSection>
      <PageSection title={t('scripts.title')} intro={t('scripts.intro')}>
        <TypeScripts />
      </PageSection>
    </>
  );
}

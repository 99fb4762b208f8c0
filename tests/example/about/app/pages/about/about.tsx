import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';

export function loader(args: LoaderFunctionArgs) {
  return pageData('about', args);
}

export function clientLoader(args: ClientLoaderFunctionArgs) {
  return loadPage('about', args);
}

export const meta = pageMeta;

export default function AboutPage() {
  const { t } = useTranslation('about');
  return <PageHeader title={t('title')}>{t('lead')}</PageHeader>;
}

import type { LoaderFunctionArgs } from '@remix-run/node';
import { type ClientLoaderFunctionArgs, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage, loadServerData } from '../../client/navigation/load-page.ts';
import { PageLink } from '../../components/site/page-link.tsx';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { pageNotFound } from '../../pages.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { findItem } from './items.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const item = findItem(args.params.id ?? '');
  if (!item) throw pageNotFound(new URL(args.request.url));
  return { ...(await pageData('item', args)), ...item };
}

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const [page, item] = await Promise.all([
    loadPage('item', args),
    loadServerData(args.request, () => args.serverLoader<typeof loader>()),
  ]);
  return { ...page, ...item };
}

export const meta = pageMeta;

export default function ItemPage() {
  const { t } = useTranslation('item');
  const { title, description, next } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={title}>{description}</PageHeader>
      <PageLink page="item" params={{ id: next }} className="text-link">
        {t('next')}
      </PageLink>
    </>
  );
}

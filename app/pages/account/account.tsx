import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage, loadServerData } from '../../client/navigation/load-page.ts';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { fileHeaders } from '../../forms/form-action.server.ts';
import { formClientAction, formShouldRevalidate } from '../../forms/send-form.ts';
import { pageMeta } from '../page-meta.ts';
import { accountAction } from './account-actions.server.ts';
import { loadAccount } from './account-data.server.ts';
import { DeletionSection } from './deletion-section.tsx';
import { ExportSection } from './export-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

export function loader(args: LoaderFunctionArgs) {
  return loadAccount(args);
}

export async function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  const loading = serverLoader<typeof loader>();
  const [loaded, page] = await Promise.all([
    loadServerData(request, () => loading),
    loadPage('account', { request, serverLoader: () => loading }),
  ]);
  return { ...loaded, ...page };
}

export const action = accountAction;
export const clientAction = formClientAction;
export const shouldRevalidate = formShouldRevalidate;
export const headers = fileHeaders;

export const meta = pageMeta;

export default function AccountPage() {
  const { t } = useTranslation('account');
  return (
    <>
      <PageHeader title={t('title')} size="compact">
        {t('lead')}
      </PageHeader>
      <div className="grid max-w-[46rem] grid-cols-1 gap-6">
        <ProfileSection />
        <SessionsSection />
        <PasswordSection />
        <ExportSection />
        <DeletionSection />
      </div>
    </>
  );
}

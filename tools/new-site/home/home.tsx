import type { LoaderFunctionArgs } from '@remix-run/node';
import type { ClientLoaderFunctionArgs } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '~/client/navigation/load-page.ts';
import { useRootData } from '~/components/document/root-data.ts';
import { useSignInAddress } from '~/components/site/return-to-field.tsx';
import { SignInLanguageNote } from '~/components/site/sign-in-language-note.tsx';
import { buttonClass } from '~/components/ui/button.tsx';
import { PageHeader } from '~/components/ui/page-header.tsx';
import { pageMeta } from '~/pages/page-meta.ts';
import { pageData } from '~/server/rendering/page-data.ts';

export function loader(args: LoaderFunctionArgs) {
  return pageData('index', args);
}

export function clientLoader(args: ClientLoaderFunctionArgs) {
  return loadPage('index', args);
}

export const meta = pageMeta;

export default function HomePage() {
  const { t } = useTranslation('home');
  const isSignedIn = useRootData()?.visitor.state === 'signed-in';
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      {isSignedIn ? null : <SignIn />}
    </>
  );
}

/** Links to the hosted login, which is another site. They work without JavaScript. */
function SignIn() {
  const { t } = useTranslation();
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <div className="grid justify-items-start gap-4">
      <SignInLanguageNote className="text-ink-muted" />
      <p className="flex flex-wrap gap-3">
        <a href={signIn} rel="nofollow" className={buttonClass('primary')}>
          {t('account.signIn')}
        </a>
        <a href={signUp} rel="nofollow" className={buttonClass('secondary')}>
          {t('account.signUp')}
        </a>
      </p>
    </div>
  );
}

import { useLocation } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import { buttonClass } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReturnToField, useSignInAddress } from './return-to-field.tsx';

/** Notices about the session: it has ended, or signing in or out has failed. The latter disappears on the next page. */
export function SiteNotices() {
  const data = useRootData();
  const { pathname } = useLocation();
  const [noticePath, setNoticePath] = useState<string | null>(pathname);
  useEffect(() => setNoticePath((path) => (path === pathname ? path : null)), [pathname]);
  const notice = pathname === noticePath ? data?.notice : null;
  const hasEnded = data?.visitor.state === 'ended';
  if (!notice && !hasEnded) return null;
  return (
    <div className="page-width grid grid-cols-1 gap-3 pt-6">
      {notice === 'sign-out-incomplete' ? <SignOutIncomplete /> : null}
      {notice && notice !== 'sign-out-incomplete' ? <SignInFailed code={notice} /> : null}
      {hasEnded ? <SessionEnded /> : null}
    </div>
  );
}

function SignInFailed({ code }: { code: string }) {
  const { t } = useTranslation();
  const signIn = useSignInAddress();
  return (
    <Notice
      tone={code === 'cancelled' ? 'info' : 'danger'}
      title={t(`signInError.${code}`)}
      actions={
        <a href={signIn} rel="nofollow" className={buttonClass('secondary', 'small')}>
          {t('signInError.tryAgain')}
        </a>
      }
    />
  );
}

function SignOutIncomplete() {
  const { t } = useTranslation();
  return (
    <Notice tone="caution" title={t('signOutIncomplete.title')}>
      {t('signOutIncomplete.description')}
    </Notice>
  );
}

function SessionEnded() {
  const { t } = useTranslation();
  const signIn = useSignInAddress();
  return (
    <Notice
      tone="caution"
      title={t('sessionEnded.title')}
      actions={
        <>
          <a href={signIn} rel="nofollow" className={buttonClass('primary', 'small')}>
            {t('sessionEnded.signInAgain')}
          </a>
          <form method="post" action="/auth/sign-out">
            <ReturnToField />
            <button type="submit" className={buttonClass('secondary', 'small')}>
              {t('sessionEnded.dismiss')}
            </button>
          </form>
        </>
      }
    >
      {t('sessionEnded.description')}
    </Notice>
  );
}

import { useLocation } from '@remix-run/react';
import { type MouseEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import type { SignInNotice } from '~/server/sign-in/sign-in-notice.ts';
import { buttonClass } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReturnToField, useSignInAddress } from './return-to-field.tsx';
import { SignInLanguageNote } from './sign-in-language-note.tsx';

/**
 * Notices about the session: it has ended, the visitor has signed out, or signing in or out has failed. All but the first
 * disappear on the next page.
 */
export function SiteNotices() {
  const data = useRootData();
  const { pathname } = useLocation();
  const [shownOnPath, setShownOnPath] = useState<string | null>(pathname);
  useEffect(() => setShownOnPath((path) => (path === pathname ? path : null)), [pathname]);
  const notice = pathname === shownOnPath ? data?.notice : null;
  const hasEnded = data?.visitor.state === 'ended';
  if (!notice && !hasEnded) return null;
  return (
    <div className="page-width grid grid-cols-1 gap-3 pt-6">
      {notice ? <FlashNotice code={notice} onDismiss={() => setShownOnPath(null)} /> : null}
      {hasEnded ? <SessionEnded /> : null}
    </div>
  );
}

function FlashNotice({ code, onDismiss }: { code: SignInNotice; onDismiss: () => void }) {
  if (code === 'signed-out') return <SignedOut onDismiss={onDismiss} />;
  if (code === 'sign-out-incomplete') return <SignOutIncomplete />;
  return <SignInFailed code={code} />;
}

/** Without scripts, the link loads the page again, which then has no notice. */
function SignedOut({ onDismiss }: { onDismiss: () => void }) {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const dismiss = (event: MouseEvent) => {
    event.preventDefault();
    document.getElementById('content')?.focus({ preventScroll: true });
    onDismiss();
  };
  return (
    <Notice
      hasInitialFocus
      tone="success"
      title={t('signedOut.title')}
      actions={
        <a href={pathname + search} onClick={dismiss} className={buttonClass('secondary', 'small')}>
          {t('signedOut.dismiss')}
        </a>
      }
    />
  );
}

function SignInFailed({ code }: { code: Exclude<SignInNotice, 'signed-out' | 'sign-out-incomplete'> }) {
  const { t } = useTranslation();
  const signIn = useSignInAddress();
  return (
    <Notice
      hasInitialFocus
      tone={code === 'cancelled' ? 'info' : 'danger'}
      actions={
        <a href={signIn} rel="nofollow" className={buttonClass('secondary', 'small')}>
          {t('signInError.tryAgain')}
        </a>
      }
    >
      <p>{useRootData()?.signInError}</p>
      <SignInLanguageNote />
    </Notice>
  );
}

function SignOutIncomplete() {
  const { t } = useTranslation();
  return (
    <Notice hasInitialFocus tone="caution" title={t('signOutIncomplete.title')}>
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
      <p>{t('sessionEnded.description')}</p>
      <SignInLanguageNote />
    </Notice>
  );
}

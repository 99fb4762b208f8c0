import { useFetcher, useLocation } from '@remix-run/react';
import type { SignInErrorCode } from '@tenfold/cognito-session';
import { type MouseEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import { THEME_FETCHER } from '~/components/document/theme-preference.ts';
import type { FormOutcome } from '~/forms/form-outcome.ts';
import type { SignInNotice } from '../../server/preferences/sign-in-notice.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { LANGUAGE_FETCHER } from './language-form.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { useSignInAddress } from './return-to-field.tsx';
import { SignInLanguageNote } from './sign-in-language-note.tsx';
import { SignOutForm } from './sign-out-form.tsx';

/** The notices of every page: about the session, and about a preference that was not saved. */
export function SiteNotices() {
  return (
    <>
      <SessionNotices />
      <PreferenceRefused />
    </>
  );
}

/**
 * Notices about the session: it has ended, the visitor has signed out, or signing in or out has failed. All but the first
 * disappear on the next page.
 */
function SessionNotices() {
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

/** Why a chosen theme or language was not saved. Its control may be anywhere on the page. */
function PreferenceRefused() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const theme = useFetcher<FormOutcome | null>({ key: THEME_FETCHER });
  const language = useFetcher<FormOutcome | null>({ key: LANGUAGE_FETCHER });
  const [dismissed, setDismissed] = useState<readonly FormOutcome[]>([]);
  const outcomes = [theme, language].flatMap(({ state, data }) => (state === 'idle' && data ? [data] : []));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next page shows no outcome of this one
  useEffect(() => setDismissed(outcomes), [pathname]);
  const failure = outcomes.find((outcome) => outcome.type === 'failed' && !dismissed.includes(outcome));
  if (failure?.type !== 'failed' || !failure.refusal) return null;
  return (
    <div className="page-width fixed inset-x-0 bottom-4 z-30 print:hidden">
      <RefusalNotice
        title={t('form.notSaved')}
        refusal={failure.refusal}
        actions={
          <Button type="button" variant="secondary" size="small" onClick={() => setDismissed(outcomes)}>
            {t('signedOut.dismiss')}
          </Button>
        }
      />
    </div>
  );
}

function FlashNotice({ code, onDismiss }: { code: SignInNotice; onDismiss: () => void }) {
  if (code === 'signed-out' || code === 'account-deleted') return <SignedOut {...{ code, onDismiss }} />;
  if (code === 'sign-out-incomplete' || code === 'sign-out-unconfirmed') return <SignOutFailed code={code} />;
  return <SignInFailed code={code} />;
}

/** Without scripts, the link loads the page again, which then has no notice. */
function SignedOut({ code, onDismiss }: { code: 'signed-out' | 'account-deleted'; onDismiss: () => void }) {
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
      title={t(code === 'signed-out' ? 'signedOut.title' : 'signedOut.accountDeleted')}
      actions={
        <a href={pathname + search} onClick={dismiss} className={buttonClass('secondary', 'small')}>
          {t('signedOut.dismiss')}
        </a>
      }
    />
  );
}

function SignInFailed({ code }: { code: SignInErrorCode }) {
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

function SignOutFailed({ code }: { code: 'sign-out-incomplete' | 'sign-out-unconfirmed' }) {
  const { t } = useTranslation();
  return (
    <Notice hasInitialFocus tone="caution" title={t('signOutIncomplete.title')}>
      {t(code === 'sign-out-incomplete' ? 'signOutIncomplete.description' : 'signOutIncomplete.unconfirmed')}
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
          <SignOutForm>
            <button type="submit" className={buttonClass('secondary', 'small')}>
              {t('sessionEnded.dismiss')}
            </button>
          </SignOutForm>
        </>
      }
    >
      <p>{t('sessionEnded.description')}</p>
      <SignInLanguageNote />
    </Notice>
  );
}

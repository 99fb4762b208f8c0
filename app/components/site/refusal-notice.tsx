import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { unsavedText } from '~/client/browser-services.ts';
import type { Refusal } from '~/forms/form-outcome.ts';
import { timeUntil } from '~/i18n/formats.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { buttonClass } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSignInAddress } from './return-to-field.tsx';
import type { FormState } from './use-form.ts';

type RefusalNoticeProps = {
  title: ReactNode;
  refusal: Refusal;
  /** See `Notice`. */
  hasInitialFocus?: boolean;
  /** Saves what was typed, before the visitor signs in. */
  onSignIn?: (() => void) | undefined;
  /** For another refusal than an ended session. */
  actions?: ReactNode;
};

/**
 * Why a form or a call was refused. After the end of a session it has a link that leads to the sign-in, and back to what was
 * typed.
 */
export function RefusalNotice({
  title,
  refusal,
  hasInitialFocus = false,
  onSignIn = saveText,
  actions,
}: RefusalNoticeProps) {
  const { t } = useTranslation();
  const signIn = useSignInAddress();
  const toSignIn = (
    <a href={signIn} rel="nofollow" onClick={onSignIn} className={buttonClass('primary', 'small')}>
      {t('account.signIn')}
    </a>
  );
  return (
    <Notice
      tone="danger"
      title={title}
      hasInitialFocus={hasInitialFocus}
      actions={refusal.code === 'signed-out' ? toSignIn : actions}
    >
      <RefusalText {...refusal} />
    </Notice>
  );
}

function saveText(): void {
  unsavedText.save(window.location.pathname, document);
}

/** One sentence about what to do. */
function RefusalText({ code, retryAfter }: Refusal) {
  const { t } = useTranslation();
  const { iso } = useLocale();
  if (code === 'too-large') return <span>{t('error.413.description')}</span>;
  const isDelay = code === 'too-many-requests' || code === 'busy';
  if (!isDelay || retryAfter === null) return <span>{t(`form.error.${code}`)}</span>;
  // The server's version of the locale data may write the time differently than the browser's.
  return <span suppressHydrationWarning>{t(`form.wait.${code}`, { time: timeUntil(retryAfter, iso) })}</span>;
}

/** Why a form was refused, beside it. */
export function FormNotice({ form }: { form: FormState }) {
  const { t } = useTranslation();
  const { refusal, isFromDocument } = form;
  return refusal ? (
    <RefusalNotice title={t('form.notSent')} refusal={refusal} hasInitialFocus={isFromDocument} />
  ) : null;
}

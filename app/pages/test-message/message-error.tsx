import { Link, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useSignInAddress } from '../../components/site/return-to-field.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import type { CallErrorCode } from './message-outcome.ts';

type MessageErrorProps = { title: string; error: CallErrorCode; canReload?: boolean };

/**
 * An error of a call: with a link to sign in if the session has ended, else with `canReload` a link that loads the
 * messages again.
 */
export function MessageError({ title, error, canReload = false }: MessageErrorProps) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const signIn = useSignInAddress();
  const className = buttonClass('secondary', 'small');
  const again = canReload ? (
    <Link to={error === 'no-such-page' ? pathname : pathname + search} className={className}>
      {t(error === 'no-such-page' ? 'list.newest' : 'list.tryAgain')}
    </Link>
  ) : null;
  const toSignIn = (
    <a href={signIn} rel="nofollow" className={className}>
      {t('signedOut.signIn')}
    </a>
  );
  return (
    <Notice tone="danger" title={title} actions={error === 'signed-out' ? toSignIn : again}>
      {t(`error.${error}`)}
    </Notice>
  );
}

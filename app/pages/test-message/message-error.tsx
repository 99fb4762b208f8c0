import { Link, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { RefusalNotice } from '../../components/site/refusal-notice.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import { type CallErrorCode, isOwnError } from './message-outcome.ts';

type MessageErrorProps = {
  title: string;
  error: CallErrorCode;
  retryAfter?: number | null | undefined;
  canReload?: boolean;
  onSignIn?: () => void;
};

/**
 * An error of a call: with a link to sign in if the session has ended, else with `canReload` a link that loads the
 * messages again.
 */
export function MessageError({
  title,
  error,
  retryAfter = null,
  canReload = false,
  onSignIn,
}: MessageErrorProps) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  const actions = canReload ? (
    <Link
      to={error === 'no-such-page' ? pathname : pathname + search}
      className={buttonClass('secondary', 'small')}
    >
      {t(error === 'no-such-page' ? 'list.newest' : 'list.tryAgain')}
    </Link>
  ) : null;
  if (!isOwnError(error)) {
    return <RefusalNotice refusal={{ code: error, retryAfter }} {...{ title, actions, onSignIn }} />;
  }
  return (
    <Notice tone="danger" title={title} actions={actions}>
      {t(`error.${error}`)}
    </Notice>
  );
}

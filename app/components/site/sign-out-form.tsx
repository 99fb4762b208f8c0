import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOnline } from '../ui/use-online.ts';
import { ReturnToField } from './return-to-field.tsx';

/**
 * A plain form, because signing out loads another document. Without a network the browser would show its own error page,
 * which does not lead back.
 */
export function SignOutForm({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const isOnline = useOnline();
  const [isStopped, setStopped] = useState(false);
  const stop = (event: FormEvent) => {
    if (isOnline) return;
    event.preventDefault();
    setStopped(true);
  };
  return (
    <form method="post" action="/auth/sign-out" onSubmit={stop}>
      <ReturnToField />
      {children}
      {isStopped && !isOnline ? (
        <p role="alert" className="max-w-60 px-3 pt-2 text-sm text-danger">
          {t('form.error.offline')}
        </p>
      ) : null}
    </form>
  );
}

import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import type { Visitor } from '~/server/session/visitor.ts';
import { buttonClass } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReturnToField, useSignInAddress } from './return-to-field.tsx';

/** The signed-in user with a sign-out button, or links to sign in and sign up. */
export function AccountMenu() {
  const visitor = useRootData()?.visitor;
  return visitor?.state === 'signed-in' ? <SignedIn visitor={visitor} /> : <SignedOut />;
}

/** Plain links without prefetching, because the hosted login is another site. */
function SignedOut() {
  const { t } = useTranslation();
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <div className="flex items-center gap-1 sm:gap-2">
      <a href={signUp} rel="nofollow" className={`${buttonClass('quiet', 'small')} max-lg:hidden`}>
        {t('account.signUp')}
      </a>
      <a href={signIn} rel="nofollow" className={buttonClass('primary', 'small')}>
        {t('account.signIn')}
      </a>
    </div>
  );
}

function SignedIn({ visitor }: { visitor: Extract<Visitor, { state: 'signed-in' }> }) {
  const { t } = useTranslation();
  const name = visitor.label || t('account.unnamed');
  const label = (
    <>
      <Icon name="lucide:user" className="size-5" />
      <span className="sr-only">{t('account.label')}: </span>
      <bdi className="max-w-40 truncate max-sm:sr-only">{name}</bdi>
    </>
  );
  return (
    <Disclosure label={label}>
      <p className="px-3 pt-2 pb-3 text-sm text-ink-muted">
        {t('account.signedInAs')}
        <bdi className="block text-base font-medium break-words text-ink">{name}</bdi>
      </p>
      <SignOutForm />
    </Disclosure>
  );
}

/** A plain form, because signing out loads another document. */
function SignOutForm() {
  const { t } = useTranslation();
  return (
    <form method="post" action="/auth/sign-out">
      <ReturnToField />
      <button type="submit" className={`${buttonClass('secondary')} w-full`}>
        <Icon name="lucide:log-out" />
        {t('account.signOut')}
      </button>
    </form>
  );
}

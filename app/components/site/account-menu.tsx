import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useVisitor } from '~/components/document/visitor.ts';
import { isHostedLoginTranslated } from '~/i18n/hosted-login.ts';
import { plainPages } from '~/i18n/localized-page.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import type { Visitor } from '../../server/rendering/visitor.ts';
import { buttonClass } from '../ui/button.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from './page-link.tsx';
import { useSignInAddress } from './return-to-field.tsx';
import { SignInLanguageCode, SignInLanguageNote } from './sign-in-language-note.tsx';
import { SignOutForm } from './sign-out-form.tsx';

/** The signed-in user with links and a sign-out button, or links to sign in and sign up. */
export function AccountMenu() {
  const visitor = useVisitor();
  return visitor?.state === 'signed-in' ? <SignedIn visitor={visitor} /> : <SignedOut />;
}

/** Two links. On small screens, which are too narrow for them in every language, they are in a menu. */
function SignedOut() {
  const { t } = useTranslation();
  return (
    <>
      <div className="max-md:hidden">
        <SignInLinks />
      </div>
      <div className="md:hidden">
        <Disclosure label={<AccountLabel name={t('account.label')} />}>
          <SignInMenu />
        </Disclosure>
      </div>
    </>
  );
}

/** Plain links without prefetching, because the hosted login is another site. */
function SignInLinks() {
  const { t } = useTranslation();
  const noteId = useId();
  const describedBy = isHostedLoginTranslated(useLocale().code) ? undefined : noteId;
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <div className="flex items-center gap-2">
      <SignInLanguageNote id={noteId} className="sr-only" />
      <a
        href={signIn}
        rel="nofollow"
        aria-describedby={describedBy}
        className={buttonClass('quiet', 'small')}
      >
        <span>{t('account.signIn')}</span>
        <SignInLanguageCode />
      </a>
      <a
        href={signUp}
        rel="nofollow"
        aria-describedby={describedBy}
        className={buttonClass('primary', 'small')}
      >
        <span>{t('account.signUp')}</span>
        <SignInLanguageCode />
      </a>
    </div>
  );
}

function SignInMenu() {
  const { t } = useTranslation();
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <div className="grid gap-2">
      <SignInLanguageNote className="px-3 pt-2 pb-1 text-sm text-ink-muted" />
      <a href={signUp} rel="nofollow" className={buttonClass('primary')}>
        {t('account.signUp')}
      </a>
      <a href={signIn} rel="nofollow" className={buttonClass('secondary')}>
        {t('account.signIn')}
      </a>
    </div>
  );
}

/** The narrowest screens show only the icon. */
function AccountLabel({ name }: { name: string }) {
  return (
    <>
      <Icon name="lucide:user" className="size-5" />
      <span className="max-[24rem]:sr-only">{name}</span>
    </>
  );
}

function SignedIn({ visitor }: { visitor: Extract<Visitor, { state: 'signed-in' }> }) {
  const { t } = useTranslation();
  const name = visitor.label || t('account.unnamed');
  const label = (
    <>
      <Icon name="lucide:user" className="size-5" />
      <span className="sr-only">{`${t('account.label')}: `}</span>
      <bdi className="max-w-40 truncate max-sm:sr-only">{name}</bdi>
    </>
  );
  return (
    <Disclosure label={label}>
      <p className="px-3 pt-2 pb-3 text-sm text-ink-muted">
        <span>{t('account.signedInAs')}</span>
        {/* As a block, `bdi` would align a name of the other direction at the wrong side. */}
        <span className="block text-base font-medium break-words text-ink">
          <bdi>{name}</bdi>
        </span>
      </p>
      <ul>
        {plainPages
          .filter(({ linkedFrom }) => linkedFrom === 'menu')
          .map(({ name: page }) => (
            <li key={page} className="mb-2">
              <PageLink page={page} className={`${buttonClass('secondary')} w-full`}>
                {t(`nav.pages.${page}`)}
              </PageLink>
            </li>
          ))}
      </ul>
      <SignOutForm>
        <button type="submit" className={`${buttonClass('secondary')} w-full`}>
          <Icon name="lucide:log-out" />
          <span>{t('account.signOut')}</span>
        </button>
      </SignOutForm>
    </Disclosure>
  );
}

import { useTranslation } from 'react-i18next';
import { hostedLoginLanguage, isHostedLoginTranslated } from '~/i18n/hosted-login.ts';
import { useLocale } from '~/i18n/use-locale.ts';

/**
 * A note that the sign-in page is in English, for pages in a language that the hosted login does not support. Place it
 * before links to sign in or sign up. On all other pages it renders nothing.
 */
export function SignInLanguageNote({ id, className = '' }: { id?: string; className?: string }) {
  const { t } = useTranslation();
  if (isHostedLoginTranslated(useLocale().code)) return null;
  return (
    <p id={id} className={className}>
      {t('account.signInPageInEnglish')}
    </p>
  );
}

/** The code of the sign-in page's language, if it is not that of the page. For links where the note has no room. */
export function SignInLanguageCode() {
  const { code } = useLocale();
  if (isHostedLoginTranslated(code)) return null;
  return (
    <span aria-hidden="true" className="text-xs font-normal uppercase">
      {hostedLoginLanguage(code)}
    </span>
  );
}

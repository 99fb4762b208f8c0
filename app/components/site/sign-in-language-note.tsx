import { useTranslation } from 'react-i18next';
import { hostedLoginLanguage, isHostedLoginTranslated } from '~/i18n/hosted-login.ts';
import { useLocale } from '~/i18n/use-locale.ts';

/**
 * Tells visitors that the sign-in page is in English, in the languages that the hosted login does not support. It belongs
 * before links to sign in or sign up. Nothing is rendered in the other languages.
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

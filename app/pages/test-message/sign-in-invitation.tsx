import { useTranslation } from 'react-i18next';
import { useSignInAddress } from '../../components/site/return-to-field.tsx';
import { SignInLanguageNote } from '../../components/site/sign-in-language-note.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';

/** Invites signed-out visitors to create an account or to sign in. */
export function SignInInvitation() {
  const { t } = useTranslation('test-message');
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <Card as="section">
      <h2 className="text-subheading">{t('signedOut.title')}</h2>
      <p className="mt-2 text-ink-muted">{t('signedOut.description')}</p>
      <SignInLanguageNote className="mt-3 text-ink-muted" />
      {/* Plain links, because the hosted login is another site. */}
      <p className="mt-5 flex flex-wrap gap-3 *:grow">
        <a href={signUp} rel="nofollow" className={buttonClass('primary')}>
          {t('signedOut.signUp')}
        </a>
        <a href={signIn} rel="nofollow" className={buttonClass('secondary')}>
          {t('signedOut.signIn')}
        </a>
      </p>
    </Card>
  );
}

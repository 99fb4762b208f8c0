import { useTranslation } from 'react-i18next';
import { useSignInAddress } from '../../components/site/return-to-field.tsx';
import { SignInLanguageNote } from '../../components/site/sign-in-language-note.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { CallSteps } from './call-timing/call-steps.tsx';

/** The page for signed-out visitors: what it does, how it works, and links to sign in and sign up. */
export function SignInInvitation() {
  const { t } = useTranslation('test-message');
  const signIn = useSignInAddress('sign-in');
  const signUp = useSignInAddress('sign-up');
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)]">
      <Card as="section">
        <h2 className="text-heading">{t('signedOut.title')}</h2>
        <p className="mt-3 text-ink-muted">{t('signedOut.description')}</p>
        <SignInLanguageNote className="mt-3 text-ink-muted" />
        {/* Plain links, because the hosted login is another site. */}
        <p className="mt-6 flex flex-wrap gap-3 max-sm:*:grow">
          <a href={signIn} rel="nofollow" className={buttonClass('primary')}>
            {t('signedOut.signIn')}
          </a>
          <a href={signUp} rel="nofollow" className={buttonClass('secondary')}>
            {t('signedOut.signUp')}
          </a>
        </p>
      </Card>
      <Card as="section">
        <h2 className="mb-5 text-subheading">{t('signedOut.whatHappens')}</h2>
        <CallSteps />
      </Card>
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { useRootData } from '~/components/document/root-data.ts';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useSignInAddress } from './return-to-field.tsx';
import { ThemeControl } from './theme-control.tsx';
import { Mark } from './wordmark.tsx';

/** About the site, its cookies, and on small screens the controls that do not fit into the header. */
export function SiteFooter() {
  const { t } = useTranslation();
  return (
    <footer className="mt-24 border-t border-line bg-sunken print:hidden">
      <div className="page-width grid grid-cols-1 gap-10 py-12 md:grid-cols-[1fr_1.4fr] md:gap-16">
        <div className="grid content-start gap-5">
          <p className="flex max-w-[34ch] items-start gap-3 text-ink-muted">
            <Mark className="mt-0.5 size-6" />
            {t('footer.about')}
          </p>
          <div className="sm:hidden">
            <ThemeControl />
          </div>
          <SignUpLink />
        </div>
        <CookieList />
      </div>
    </footer>
  );
}

/** Shown where the header has no room for it. Signed-in visitors have the account menu at every width. */
function SignUpLink() {
  const { t } = useTranslation();
  const signUp = useSignInAddress('sign-up');
  if (useRootData()?.visitor.state === 'signed-in') return null;
  return (
    <div className="lg:hidden">
      <a href={signUp} rel="nofollow" className={buttonClass('secondary')}>
        {t('account.signUp')}
      </a>
    </div>
  );
}

/** All cookies of the site. Each is strictly necessary or the visitor's own choice, so none needs consent. */
const cookies = [
  { name: 'locale', key: 'locale' },
  { name: 'language-offer', key: 'languageOffer' },
  { name: 'theme', key: 'theme' },
  { name: '__Host-session', key: 'session' },
  { name: '__Host-oauth', key: 'oauth' },
  { name: '__Host-guest', key: 'guest' },
  { name: '__Host-notice', key: 'notice' },
  { name: '__Host-outcome', key: 'outcome' },
] as const;

function CookieList() {
  const { t } = useTranslation();
  return (
    <details id="cookies" className="group self-start rounded-card border border-line bg-surface">
      <summary className="flex min-h-11 items-center gap-3 rounded-card px-5 py-3 hover:text-primary">
        <Icon name="lucide:cookie" className="size-5" />
        <span className="font-medium">{t('cookies.title')}</span>
        <Icon
          name="lucide:chevron-down"
          className="ms-auto size-4 transition-transform group-open:rotate-180"
        />
      </summary>
      <div className="border-t border-line px-5 py-4 text-sm">
        <p>{t('cookies.intro')}</p>
        <dl className="mt-4 grid gap-3">
          {cookies.map(({ name, key }) => (
            <div key={name} className="grid gap-x-4 sm:grid-cols-[9rem_1fr]">
              <dt>
                <code dir="ltr">{name}</code>
              </dt>
              <dd className="text-ink-muted">
                {t(`cookies.${key}.purpose`)} {t(`cookies.${key}.lifetime`)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}

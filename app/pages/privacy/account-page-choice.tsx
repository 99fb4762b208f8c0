import { useTranslation } from 'react-i18next';
import { PageLink } from '../../components/site/page-link.tsx';
import { RichText } from '../../components/ui/rich-text.tsx';

/** What visitors do themselves on the page of their account. Remove this file with that page. */
export function AccountPageChoice() {
  const { t } = useTranslation('privacy');
  return (
    <li>
      <RichText
        text={t('choices.accountPage')}
        elements={{ page: <PageLink page="account" rel="nofollow" className="text-link" /> }}
      />
    </li>
  );
}

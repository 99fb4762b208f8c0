import { useTranslation } from 'react-i18next';
import { PageLink } from '../../components/site/page-link.tsx';
import { RichText } from '../../components/ui/rich-text.tsx';

/** Where visitors delete their messages. Remove this file with the page of messages. */
export function MessageChoice() {
  const { t } = useTranslation('privacy');
  return (
    <li>
      <RichText
        text={t('choices.messages')}
        elements={{ page: <PageLink page="test-message" className="text-link" /> }}
      />
    </li>
  );
}

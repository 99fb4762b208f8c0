import { useTranslation } from 'react-i18next';
import { RichText } from '../../components/ui/rich-text.tsx';
import { AccountSection } from './account-section.tsx';
import { EXPORT_SCHEMA_PATH } from './export-schema-path.ts';
import { StepForm, useStep } from './step-form.tsx';

export function ExportSection() {
  const { t } = useTranslation('account');
  const step = useStep('export');
  return (
    <AccountSection id="export" title={t('export.title')}>
      <p className="-mt-3 text-ink-muted">
        <RichText
          text={t('export.intro')}
          elements={{
            // biome-ignore lint/a11y/useAnchorContent: the translation has the text of the link
            schema: <a href={EXPORT_SCHEMA_PATH} className="text-link" />,
          }}
        />
      </p>
      <StepForm step={step} start={t('export.prepare')} save={t('export.download')} isDownload />
    </AccountSection>
  );
}

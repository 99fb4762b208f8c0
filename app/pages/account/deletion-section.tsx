import { useTranslation } from 'react-i18next';
import { RefusalNotice } from '../../components/site/refusal-notice.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import type { OpenDeletionStep } from './account-deletion.server.ts';
import { AccountSection } from './account-section.tsx';
import { StepForm, useStep } from './step-form.tsx';

/** What is deleted, what remains and for how long, and the form. */
export function DeletionSection() {
  const { t } = useTranslation('account');
  const step = useStep('delete-account');
  const { refusal } = step.form;
  return (
    <AccountSection id="deletion" title={t('deletion.title')} intro={t('deletion.intro')} tone="danger">
      <div className="grid gap-2 text-sm text-ink-muted">
        <p>{t('deletion.remains')}</p>
        <ul className="grid list-disc gap-2 ps-5">
          {(['backups', 'logs', 'identity'] as const).map((key) => (
            <li key={key}>{t(`deletion.${key}`)}</li>
          ))}
        </ul>
      </div>
      <StepForm
        step={step}
        start={t('deletion.start')}
        save={t('deletion.delete')}
        variant="danger"
        {...(refusal && step.isOpen ? { failure: <Incomplete step={step} /> } : {})}
      >
        {step.isOpen ? <Confirmation step={step} /> : null}
      </StepForm>
    </AccountSection>
  );
}

type Props = { step: ReturnType<typeof useStep> };

const openSteps: readonly OpenDeletionStep[] = ['records', 'sessions', 'user'];

/** Why the deletion stopped, and what is done already. */
function Incomplete({ step: { form } }: Props) {
  const { t } = useTranslation('account');
  const open = openSteps.find((name) => name === form.errorOf('open')) ?? null;
  return form.refusal ? (
    <>
      <RefusalNotice
        title={t('deletion.incomplete.title')}
        refusal={form.refusal}
        hasInitialFocus={form.isFromDocument}
      />
      {open ? <p>{t(`deletion.incomplete.${open}`)}</p> : null}
    </>
  ) : null;
}

function Confirmation({ step: { form } }: Props) {
  const { t } = useTranslation('account');
  const isInvalid = form.errorOf('confirm') !== null;
  const { autoFocus } = form.field('confirm');
  return (
    <div className="grid gap-1.5">
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          name="confirm"
          value="yes"
          // biome-ignore lint/a11y/noAutofocus: the page was loaded again because of this field
          autoFocus={autoFocus}
          aria-invalid={isInvalid || undefined}
          aria-describedby={isInvalid ? 'confirm-error' : undefined}
          className="mt-0.5 size-5 shrink-0 accent-danger"
        />
        <span>{t('deletion.confirm')}</span>
      </label>
      {isInvalid ? (
        <p
          id="confirm-error"
          role="alert"
          className="flex items-start gap-1.5 text-sm font-medium text-danger"
        >
          <Icon name="lucide:circle-alert" className="mt-[0.2em] size-[1.15em]" />
          <span>{t('deletion.unconfirmed')}</span>
        </p>
      ) : null}
    </div>
  );
}

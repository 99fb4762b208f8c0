import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { controlClass, Field } from '../../components/ui/field.tsx';
import type { loadAccount } from './account-data.server.ts';
import { AccountSection } from './account-section.tsx';
import { StepForm, useStep } from './step-form.tsx';

const errors = ['missing', 'wrong', 'rejected', 'reused'] as const;

export function PasswordSection() {
  const { t } = useTranslation('account');
  const { seesAllSessions, email } = useLoaderData<typeof loadAccount>();
  const step = useStep('change-password');
  const { notice } = step.form;
  const changed = notice === 'password-changed' ? t('password.changed') : null;
  return (
    <AccountSection
      id="password"
      title={t('password.title')}
      intro={t(seesAllSessions ? 'password.intro' : 'password.introOnlyThis')}
    >
      <StepForm
        step={step}
        start={t('password.change')}
        save={t('password.save')}
        done={notice === 'password-changed-only' ? t('password.changedOnly') : changed}
      >
        {step.isOpen ? (
          <>
            {/* Password managers need it. */}
            <input type="email" autoComplete="username" value={email} readOnly hidden />
            <PasswordField step={step} name="currentPassword" />
            <PasswordField step={step} name="newPassword" />
          </>
        ) : null}
      </StepForm>
    </AccountSection>
  );
}

type PasswordFieldProps = { step: ReturnType<typeof useStep>; name: 'currentPassword' | 'newPassword' };

function PasswordField({ step, name }: PasswordFieldProps) {
  const { t } = useTranslation('account');
  const error = errors.find((code) => code === step.form.errorOf(name));
  const isCurrent = name === 'currentPassword';
  return (
    <Field
      label={t(isCurrent ? 'password.current' : 'password.new')}
      error={error ? t(`password.error.${error}`) : null}
    >
      {(control) => (
        <input
          {...control}
          {...step.form.field(name)}
          type="password"
          autoComplete={isCurrent ? 'current-password' : 'new-password'}
          dir="ltr"
          className={controlClass}
        />
      )}
    </Field>
  );
}

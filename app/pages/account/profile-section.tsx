import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { controlClass, Field } from '../../components/ui/field.tsx';
import type { loadAccount } from './account-data.server.ts';
import { AccountSection } from './account-section.tsx';
import { StepForm, useStep } from './step-form.tsx';

/** The name, which can be changed, and the email address. */
export function ProfileSection() {
  const { t } = useTranslation('account');
  const { email } = useLoaderData<typeof loadAccount>();
  const step = useStep('rename');
  return (
    <AccountSection id="profile" title={t('profile.title')}>
      <dl className="grid gap-1">
        <dt className="font-medium">{t('profile.email')}</dt>
        <dd className="break-words">
          <bdi>{email}</bdi>
        </dd>
        <dd className="text-sm text-ink-muted">{t('profile.emailNote')}</dd>
      </dl>
      <StepForm
        step={step}
        start={t('profile.change')}
        save={t('profile.save')}
        done={step.form.notice === 'renamed' ? t('profile.saved') : null}
      >
        <Field
          label={t('profile.name')}
          hint={t('profile.nameNote')}
          error={step.form.errorOf('name') ? t('profile.invalid') : null}
        >
          {(control) => (
            <input
              {...control}
              {...step.form.field('name')}
              type="text"
              autoComplete="name"
              dir="auto"
              className={controlClass}
            />
          )}
        </Field>
      </StepForm>
    </AccountSection>
  );
}

/** The form of an action that needs a fresh sign-in: first the button that leads there, then the action itself. */
import { useActionData, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FormNotice } from '../../components/site/refusal-notice.tsx';
import { useForm } from '../../components/site/use-form.ts';
import { Button, type ButtonVariant } from '../../components/ui/button.tsx';
import { Notice } from '../../components/ui/notice.tsx';
import type { loadAccount } from './account-data.server.ts';
import type { StepIntent } from './account-steps.ts';
import { FormStatus } from './form-status.tsx';

/** The state of a step. The name that was typed before the sign-in comes back. */
export function useStep(intent: StepIntent) {
  const { step, refusedStep, notice, name } = useLoaderData<typeof loadAccount>();
  const isOpen = step?.action === intent;
  const form = useForm({ intent, notice, values: { name: step?.name ?? name } });
  return {
    intent,
    form,
    isOpen,
    refused: refusedStep?.action === intent && !isOpen ? refusedStep : null,
  };
}

type StepFormProps = {
  step: ReturnType<typeof useStep>;
  /** The texts of the button before and after the sign-in. */
  start: string;
  save: string;
  variant?: ButtonVariant;
  /** What the form says after a success. */
  done?: string | null;
  /** In the place of the notice of a failure. */
  failure?: ReactNode;
  /** Whether the response is a file, which only the browser can save. */
  isDownload?: boolean;
  children?: ReactNode;
};

export function StepForm({
  step,
  start,
  save,
  variant = 'primary',
  done = null,
  failure,
  isDownload = false,
  children,
}: StepFormProps) {
  const { t } = useTranslation('account');
  const { form, intent, isOpen, refused } = step;
  const isFresh = useActionData() === undefined;
  const Form = isOpen && isDownload ? 'form' : form.Form;
  return (
    <Form {...form.props} className="grid grid-cols-1 gap-5">
      <input type="hidden" name="intent" value={intent} />
      {isOpen ? <Notice hasInitialFocus={isFresh}>{t('confirmed')}</Notice> : null}
      {refused ? (
        <Notice hasInitialFocus={isFresh} tone={refused.isCanceled ? 'info' : 'danger'}>
          {refused.text}
        </Notice>
      ) : null}
      {children}
      {failure ?? <FormNotice form={form} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button variant={isOpen ? variant : 'secondary'} busy={form.isSending}>
          {isOpen ? save : start}
        </Button>
        <FormStatus form={form}>{done}</FormStatus>
        {isOpen || done ? null : <p className="text-sm text-ink-muted">{t('askFirst')}</p>}
      </div>
    </Form>
  );
}

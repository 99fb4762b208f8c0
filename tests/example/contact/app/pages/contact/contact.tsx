import type { LoaderFunctionArgs } from '@remix-run/node';
import { type ClientLoaderFunctionArgs, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage } from '../../client/navigation/load-page.ts';
import { FormNotice } from '../../components/site/refusal-notice.tsx';
import { useForm } from '../../components/site/use-form.ts';
import { Button } from '../../components/ui/button.tsx';
import { controlClass, Field } from '../../components/ui/field.tsx';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { consumeNotice, formAction } from '../../forms/form-action.server.ts';
import { formClientAction, formShouldRevalidate } from '../../forms/send-form.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';

export async function loader(args: LoaderFunctionArgs) {
  return { ...(await pageData('contact', args)), notice: consumeNotice(args, ['sent']) };
}

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  return { ...(await loadPage('contact', args)), notice: null };
}

export const action = formAction(async (form, { context }) => {
  const text = String(form.get('text') ?? '').trim();
  if (text === '' || text.length > 2000) return { errors: { text: 'invalid' } };
  // Pass the text on here, for example to the service that sends your mail. The log is no place for it.
  context.log.info({ length: text.length }, 'a visitor has sent a message');
  return { notice: 'sent' };
});

export const clientAction = formClientAction;
export const shouldRevalidate = formShouldRevalidate;
export const meta = pageMeta;

export default function ContactPage() {
  const { t } = useTranslation('contact');
  const form = useForm({ notice: useLoaderData<typeof loader>().notice });
  return (
    <form.Form {...form.props} className="grid max-w-prose gap-4">
      <PageHeader title={t('title')} size="compact" />
      <Field label={t('label')} error={form.errorOf('text') ? t('invalid') : null}>
        {(control) => <textarea {...control} {...form.field('text')} rows={4} className={controlClass} />}
      </Field>
      <FormNotice form={form} />
      <Button busy={form.isSending}>{t('send')}</Button>
      <p role="status">{form.notice ? t('sent') : null}</p>
    </form.Form>
  );
}

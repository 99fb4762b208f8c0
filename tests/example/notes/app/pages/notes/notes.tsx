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
import { requireSession } from '../../server/rendering/require-session.ts';
import { pageMeta } from '../page-meta.ts';

const MAX_LENGTH = 2000;

export async function loader(args: LoaderFunctionArgs) {
  const page = await pageData('notes', args);
  return { ...page, notice: consumeNotice(args, ['saved']) };
}

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const page = await loadPage('notes', args);
  return { ...page, notice: null };
}

export const action = formAction(async (form, { context }) => {
  requireSession(context);
  const text = String(form.get('text') ?? '').trim();
  if (text === '' || text.length > MAX_LENGTH) return { errors: { text: 'invalid' } };
  // Store the text here, for example with a GraphQL mutation.
  return { notice: 'saved' };
});

export const clientAction = formClientAction;
export const shouldRevalidate = formShouldRevalidate;

export const meta = pageMeta;

export default function NotesPage() {
  const { t } = useTranslation('notes');
  const form = useForm({ notice: useLoaderData<typeof loader>().notice });
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <form.Form {...form.props} className="grid max-w-prose gap-4">
        <Field label={t('label')} error={form.errorOf('text') ? t('invalid') : null}>
          {(control) => <textarea {...control} {...form.field('text')} rows={4} className={controlClass} />}
        </Field>
        <FormNotice form={form} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button busy={form.isSending}>{t('save')}</Button>
          <p role="status">{form.notice ? t('thanks') : null}</p>
        </div>
      </form.Form>
    </>
  );
}

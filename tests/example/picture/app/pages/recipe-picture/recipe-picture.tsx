/** The picture of a recipe, and the form with which its author sends one. */
import type { LoaderFunctionArgs } from '@remix-run/node';
import { type ClientLoaderFunctionArgs, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { loadPage, loadServerData } from '../../client/navigation/load-page.ts';
import { FormNotice } from '../../components/site/refusal-notice.tsx';
import { useForm } from '../../components/site/use-form.ts';
import { Button } from '../../components/ui/button.tsx';
import { controlClass, Field } from '../../components/ui/field.tsx';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { consumeNotice, formAction } from '../../forms/form-action.server.ts';
import { MAX_PICTURE_BYTES, pictureType } from '../../forms/picture.server.ts';
import { callDataApi } from '../../forms/record-form.server.ts';
import { formClientAction, formShouldRevalidate } from '../../forms/send-form.ts';
import { GET_RECIPE_PICTURE, SET_RECIPE_PICTURE } from '../../graphql/recipe-picture.graphql.generated.ts';
import { pageNamed, pageNotFound } from '../../pages.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';

export async function loader(args: LoaderFunctionArgs) {
  const id = args.params.id ?? '';
  const page = await pageData('recipe-picture', args);
  const { getRecipe: recipe } = await callDataApi({ ...GET_RECIPE_PICTURE, variables: { id } }, args);
  if (!recipe) throw pageNotFound(new URL(args.request.url));
  const { title, mine, picture } = recipe;
  return { ...page, title, notice: consumeNotice(args, ['saved']), id, mine, hasPicture: picture !== null };
}

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const [page, loaded] = await Promise.all([
    loadPage('recipe-picture', args),
    loadServerData(args.request, () => args.serverLoader<typeof loader>()),
  ]);
  return { ...page, ...loaded };
}

export const action = formAction(async (form, args) => {
  const file = form.get('picture');
  const bytes = file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
  if (bytes.length > MAX_PICTURE_BYTES || pictureType(bytes) === null)
    return { errors: { picture: 'invalid' } };
  const variables = { id: args.params.id ?? '', picture: bytes.toString('base64') };
  await callDataApi({ ...SET_RECIPE_PICTURE, variables }, args);
  return { notice: 'saved' };
}, pageNamed('recipe-picture').maxBodyBytes);

export const clientAction = formClientAction;
export const shouldRevalidate = formShouldRevalidate;
export const meta = pageMeta;

export default function RecipePicturePage() {
  const { t } = useTranslation('recipe-picture');
  const { title, id, mine, hasPicture, notice } = useLoaderData<typeof loader>();
  const form = useForm({ notice });
  return (
    <>
      <PageHeader title={<span dir="auto">{title}</span>} size="compact" />
      {hasPicture ? <img src={`/api/recipes/${id}/picture`} alt={title} className="mb-8 max-w-full" /> : null}
      {mine ? (
        <form.Form {...form.props} encType="multipart/form-data" className="grid max-w-prose gap-4">
          <Field label={t('label')} hint={t('hint')} error={form.errorOf('picture') ? t('invalid') : null}>
            {(control) => (
              <input
                {...control}
                type="file"
                name="picture"
                accept="image/png,image/jpeg,image/webp"
                className={controlClass}
              />
            )}
          </Field>
          <FormNotice form={form} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <Button busy={form.isSending}>{t('send')}</Button>
            <p role="status">{form.notice ? t('saved') : null}</p>
          </div>
        </form.Form>
      ) : null}
    </>
  );
}

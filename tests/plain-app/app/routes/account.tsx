import { redirect } from '@remix-run/node';
import { Form, useLoaderData } from '@remix-run/react';
import { auth } from '../session.server';

export const headers = auth.headers;

export const action = auth.withUser(async (args) => {
  const name = String((await args.request.formData()).get('name'));
  return auth.stepUp.begin(args, { action: 'rename', values: { name }, returnTo: '/account' });
});

export const loader = auth.withUser(async (args) => {
  const grant = await auth.stepUp.open(args, 'rename');
  if (!grant) return { name: args.session.user.name };
  await grant.updateName(grant.values.name ?? '');
  await auth.stepUp.finish(args);
  await auth.renew(args);
  throw redirect('/account');
});

export default function Account() {
  const { name } = useLoaderData<typeof loader>();
  return (
    <Form method="post" reloadDocument>
      <input name="name" aria-label="Name" defaultValue={name ?? ''} />
      <button type="submit">Change</button>
    </Form>
  );
}

import type { ActionFunctionArgs } from '@remix-run/node';
import { methodNotAllowed, sendTo } from '../server/navigation.server.ts';
import { readForm } from '../server/request-body.server.ts';
import { parseReturnTo } from '../server/return-to.server.ts';

/** Ends the session here, then the hosted login's. Without one, it dismisses what is left and goes back. */
export async function action({ request, context }: ActionFunctionArgs) {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const { env, cookies, session, sessions, signIn } = context;
  await sessions.end(request, cookies, session);
  if (session.state === 'signed-in') return sendTo(signIn.logoutUrl, 303);
  // Whatever is wrong with the form, signing out works.
  const form = await readForm(request).catch(() => new FormData());
  return sendTo(parseReturnTo(form.get('returnTo'), env.appOrigin), 303);
}

export function loader() {
  return methodNotAllowed('POST');
}

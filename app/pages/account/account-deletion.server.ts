/** The deletion of an account. Each step may be repeated, so that a visitor can go on after a failure. */
import { redirectDocument } from '@remix-run/node';
import type { FormResult } from '../../forms/form-action.server.ts';
import { localeOfPath, localizePath } from '../../i18n/locales.ts';
import { clearingStorage } from '../../server/errors/redirects.ts';
import { signInNotice } from '../../server/preferences/sign-in-notice.ts';
import { refusalOfAccountError, type StepArgs } from './account-step.server.ts';
import { eraseOwnRecords } from './own-records.server.ts';

/** How far a deletion came that failed: the step that is not done. */
export type OpenDeletionStep = 'records' | 'sessions' | 'user';

/**
 * Deletes the records, the other sessions and the user, then ends this session, and throws the redirect to the home page. The
 * identity has no profile: the site forgets its credentials.
 */
export async function deleteAccount({
  form,
  grant,
  session,
  args,
  finish,
}: StepArgs): Promise<FormResult<string, never>> {
  if (!form.has('confirm')) return { errors: { confirm: 'unconfirmed' } };
  const { request, context } = args;
  const { auth, identity, cookies, env } = context;
  let open: OpenDeletionStep = 'records';
  try {
    await eraseOwnRecords(args);
    open = 'sessions';
    // Without a store they end at their next refresh, because the user is gone.
    if ((await auth.sessions.endOthers(session)) !== null) open = 'user';
    await grant.deleteUser();
  } catch (error) {
    return { refusal: refusalOfAccountError(error, args), errors: { open } };
  }
  await finish();
  identity.forget(session.id);
  await auth.end(request, context);
  signInNotice.set(cookies, { code: 'account-deleted' }, env.session.secure);
  const home = localizePath('/', localeOfPath(new URL(request.url).pathname));
  throw clearingStorage(redirectDocument(home, 303));
}

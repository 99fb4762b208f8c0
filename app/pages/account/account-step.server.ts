/** What the actions with a grant have in common. */
import type { ActionFunctionArgs } from '@remix-run/node';
import { AccountError, type Grant, type SignedIn } from '@tenfold/cognito-session';
import { refusalOfError } from '../../forms/form-action.server.ts';
import type { Refusal } from '../../forms/form-outcome.ts';

export type StepArgs = {
  form: FormData;
  grant: Grant;
  session: SignedIn;
  args: ActionFunctionArgs;
  /** Ends the grant. */
  finish: () => Promise<void>;
};

/** Why the user pool did not do it. Throws other errors, and the one that needs another fresh sign-in. */
export function refusalOfAccountError(error: unknown, { context }: ActionFunctionArgs): Refusal {
  if (!(error instanceof AccountError)) return refusalOfError(error, context);
  if (error.code === 'expired') throw error;
  const code = error.code === 'limit-exceeded' ? 'too-many-requests' : 'unavailable';
  return { code, retryAfter: null };
}

/** The data of the account page. */
import type { LoaderFunctionArgs } from '@remix-run/node';
import { type SignedIn, type SignInErrorCode, signInErrorCodes } from '@tenfold/cognito-session';
import { consumeOutcome } from '../../forms/form-action.server.ts';
import { requestLocale } from '../../server/preferences/locale-detection.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { requireSession } from '../../server/rendering/require-session.ts';
import { accountNotices, isStepIntent, type StepIntent, stepIntents } from './account-steps.ts';

export async function loadAccount(args: LoaderFunctionArgs) {
  const { context } = args;
  const session = requireSession(context);
  const outcome = consumeOutcome(args, parseOutcome);
  const [page, { sessions, seesAllSessions }, step, refusedStep] = await Promise.all([
    pageData('account', args),
    context.auth.sessions.list(session),
    openStep(args, session),
    outcome?.action ? reasonOf(outcome, args) : null,
  ]);
  return {
    ...page,
    name: session.user.name ?? '',
    email: session.user.email ?? '',
    sessions,
    seesAllSessions,
    step,
    refusedStep,
    notice: outcome?.notice ?? null,
  };
}

/** The action that the visitor has just signed in for, and the name that was typed before. */
async function openStep({ request, context }: LoaderFunctionArgs, session: SignedIn) {
  const { stepUp } = context.auth;
  const found = await Promise.all(
    stepIntents.map(async (action) => {
      const grant = await stepUp.open({ request, session }, action);
      return grant && { action, name: grant.values.name ?? null };
    }),
  );
  return found.find((step) => step !== null) ?? null;
}

/** What the forms and the callback of a fresh sign-in leave for the page. */
function parseOutcome(value: unknown) {
  const { notice, action, code }: Record<string, unknown> = Object(value);
  const named = accountNotices.find((known) => known === notice);
  if (named) return { notice: named, action: null };
  const error = signInErrorCodes.find((known) => known === code);
  return error && isStepIntent(action) ? { notice: null, action, code: error } : null;
}

/** Why the fresh sign-in for an action failed, in the language of the page. */
async function reasonOf(
  { action, code }: { action: StepIntent; code: SignInErrorCode },
  args: LoaderFunctionArgs,
) {
  const { code: locale } = await requestLocale(args);
  const t = await args.context.i18n.getFixedT(locale, 'server');
  return { action, text: t(`signInError.${code}`), isCanceled: code === 'cancelled' };
}

/** The forms of the account page. An ordinary session ends sessions; everything else needs a grant for just that action. */
import type { ActionFunctionArgs } from '@remix-run/node';
import { AccountError, type SignedIn } from '@tenfold/cognito-session';
import { type FormResult, formAction } from '../../forms/form-action.server.ts';
import { requireSession } from '../../server/rendering/require-session.ts';
import { deleteAccount } from './account-deletion.server.ts';
import { exportAccount } from './account-export.server.ts';
import { refusalOfAccountError, type StepArgs } from './account-step.server.ts';
import { type AccountNotice, isStepIntent, type StepIntent } from './account-steps.ts';

type Result = FormResult<string, AccountNotice>;

const MAX_NAME_LENGTH = 100;
/** Control characters, and halves of characters. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}]/u;

export const accountAction = formAction((form, args): Promise<Result> => {
  const session = requireSession(args.context);
  const intent = form.get('intent');
  if (isStepIntent(intent)) return takeStep(intent, form, session, args);
  return endSessions(form, session, args);
});

/** Does what a form says if its grant is open. Without one it throws the redirect to the fresh sign-in. */
async function takeStep(
  intent: StepIntent,
  form: FormData,
  session: SignedIn,
  args: ActionFunctionArgs,
): Promise<Result> {
  const { auth, cookies } = args.context;
  const { request } = args;
  const stepArgs = { request, session, cookies };
  const name = intent === 'rename' ? validName(form) : '';
  if (name === null) return { errors: { name: 'invalid' } };
  const begin = async () => {
    const returnTo = new URL(request.url).pathname;
    return auth.stepUp.begin(stepArgs, { action: intent, values: name ? { name } : {}, returnTo });
  };
  const grant = await auth.stepUp.open(stepArgs, intent);
  if (!grant) throw await begin();
  try {
    const finish = () => auth.stepUp.finish(stepArgs);
    return await actions[intent]({ form, grant, session, args, finish });
  } catch (error) {
    if (error instanceof AccountError && error.code === 'expired') throw await begin();
    throw error;
  }
}

/** The name in a form, or null. It returns after the fresh sign-in. */
function validName(form: FormData): string | null {
  const name = textOf(form, 'name').trim();
  return name !== '' && name.length <= MAX_NAME_LENGTH && !NOT_IN_NAMES.test(name) ? name : null;
}

const actions: Record<StepIntent, (step: StepArgs) => Promise<Result>> = {
  rename,
  'change-password': changePassword,
  export: exportAccount,
  'delete-account': deleteAccount,
};

async function rename({ form, grant, session, args, finish }: StepArgs): Promise<Result> {
  try {
    await grant.updateName(textOf(form, 'name').trim());
  } catch (error) {
    if (error instanceof AccountError && error.code === 'invalid') return { errors: { name: 'invalid' } };
    return { refusal: refusalOfAccountError(error, args) };
  }
  await finish();
  const { auth, cookies } = args.context;
  await auth.renew({ request: args.request, session, cookies });
  return { notice: 'renamed' };
}

async function changePassword({ form, grant, session, args, finish }: StepArgs): Promise<Result> {
  // Deleted, so that no response contains them.
  const [previous, proposed] = [take(form, 'currentPassword'), take(form, 'newPassword')];
  if (previous === '') return { errors: { currentPassword: 'missing' } };
  if (proposed === '') return { errors: { newPassword: 'missing' } };
  try {
    await grant.changePassword({ previous, proposed });
  } catch (error) {
    const code = error instanceof AccountError ? error.code : null;
    if (code === 'wrong-password') return { errors: { currentPassword: 'wrong' } };
    if (code === 'password-reused') return { errors: { newPassword: 'reused' } };
    if (code === 'password-policy' || code === 'invalid') return { errors: { newPassword: 'rejected' } };
    return { refusal: refusalOfAccountError(error, args) };
  }
  const ended = await args.context.auth.sessions.endOthers(session);
  await finish();
  return { notice: ended === null ? 'password-changed-only' : 'password-changed' };
}

async function endSessions(
  form: FormData,
  session: SignedIn,
  { context }: ActionFunctionArgs,
): Promise<Result> {
  const { sessions } = context.auth;
  if (form.get('intent') === 'end-other-sessions') {
    const ended = await sessions.endOthers(session);
    return ended === null ? { refusal: 'unavailable' } : { notice: 'sessions-ended' };
  }
  const handle = textOf(form, 'session');
  if (form.get('intent') !== 'end-session') throw new Response(null, { status: 400 });
  if (await sessions.endOther(session, handle)) return { notice: 'session-ended' };
  // It may have ended already.
  const listed = await sessions.list(session);
  const isOver = listed.seesAllSessions && !listed.sessions.some((other) => other.handle === handle);
  return isOver ? { notice: 'session-ended' } : { refusal: 'unavailable' };
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

function take(form: FormData, name: string): string {
  const value = textOf(form, name);
  form.delete(name);
  return value;
}

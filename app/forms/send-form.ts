/** The browser's part of a form: sends it, and returns why it was refused. */
import {
  type ClientActionFunctionArgs,
  isRouteErrorResponse,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { type Refusal, refusalOfStatus, refused, statusOfRefusal } from './form-outcome.ts';

/** The server gives up earlier, and says why. It waits 25 seconds for a body, and five for the data API. */
const TIMEOUT_MS = 35_000;

/** The `clientAction` of a form whose action is made by `formAction`. */
export function formClientAction(args: ClientActionFunctionArgs): Promise<unknown> {
  return sendForm(args, refused);
}

/**
 * The `shouldRevalidate` of a page with a form. A refused form has changed nothing, and loading the data of the page again
 * could fail too. Without this function Remix would do it, whatever the status.
 */
export function formShouldRevalidate({
  actionStatus = 200,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  return actionStatus < 400 && defaultShouldRevalidate;
}

/**
 * For a `clientAction`: the result of the `action`. If the form did not reach it, or nothing valid came back in time, the
 * result is that of `fail`, so that the form stays with what was typed. An error page would replace it.
 */
export async function sendForm<Outcome>(
  { request, serverAction }: ClientActionFunctionArgs,
  fail: (refusal: Refusal, form: FormData) => Outcome,
  timeoutMs = TIMEOUT_MS,
): Promise<unknown> {
  const form = await request.clone().formData();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooLate()), timeoutMs);
  });
  try {
    return await Promise.race([serverAction(), tooLate]);
  } catch (error) {
    if (request.signal.aborted || (error instanceof Response && !leadsToSignIn(error))) throw error;
    const refusal = refusalOfFailure(error);
    // `shouldRevalidate` gets the status.
    return Response.json(fail(refusal, form), { status: statusOfRefusal(refusal.code) });
  } finally {
    clearTimeout(timer);
  }
}

class TooLate extends Error {}

/** Whether a page for members has turned the visitor away. To follow the redirect would lose what was typed. */
function leadsToSignIn({ headers }: Response): boolean {
  return headers.get('location')?.startsWith('/auth/sign-in?') ?? false;
}

/** `fetch` rejects with a `TypeError` without a network. Remix throws other errors for a response that it cannot read. */
function refusalOfFailure(error: unknown): Refusal {
  if (error instanceof TooLate) return refusalOfStatus(408);
  if (error instanceof Response) return refusalOfStatus(401);
  if (!isRouteErrorResponse(error)) {
    return error instanceof TypeError ? { code: 'offline', retryAfter: null } : refusalOfStatus(500);
  }
  const { status, data } = error;
  return refusalOfStatus(status, typeof data === 'number' && data > 0 ? data : null);
}

/** The server's part of a form: its action, and the outcome that the next page shows. */
import {
  type ActionFunctionArgs,
  type AppLoadContext,
  data,
  type HeadersArgs,
  redirect,
} from '@remix-run/node';
import { readForm } from '@tenfold/site-server';
import {
  ConfigurationError,
  describeUpstreamFailure,
  isUpstreamError,
  logUpstreamFailure,
  type UpstreamError,
} from '@tenfold/upstream';
import { createFlashCookie } from '../server/preferences/flash-cookie.ts';
import {
  type FormOutcome,
  type Refusal,
  type RefusalCode,
  refusalOfStatus,
  refused,
  statusOfRefusal,
  valuesOf,
} from './form-outcome.ts';

type Args = { request: Request; context: AppLoadContext };

type FormErrors<Code extends string> = Readonly<Record<string, Code>>;

/** What a form does: the errors of invalid fields by name, why it is refused as a whole, which notice the page shows, or a file. */
export type FormResult<Code extends string = string, Notice extends string = string> =
  | { errors: FormErrors<Code> }
  | { refusal: RefusalCode | Refusal; errors?: FormErrors<Code> }
  | { notice: Notice }
  | { file: JsonFile };

/** A file that the browser saves. The `headers` of its page must be `fileHeaders`, and its form a plain one. */
type JsonFile = { name: string; content: object };

/** Stores what the form says. */
type FormHandler<Code extends string, Notice extends string> = (
  form: FormData,
  args: ActionFunctionArgs,
) => Promise<FormResult<Code, Notice>>;

/**
 * Creates the `action` of a form. Invalid fields are returned with status 422, and what `handle` throws as a refusal: the
 * form is shown again with what was typed, but for fields that `handle` has deleted from it, such as passwords. A document is
 * redirected after a success, so that it can be loaded again.
 * Responses that `handle` throws are passed on. A form may have 64 KiB, or `maxBytes`: the `maxBodyBytes` of its page.
 */
export function formAction<Code extends string, Notice extends string>(
  handle: FormHandler<Code, Notice>,
  maxBytes?: number,
) {
  const respond = async (form: FormData, args: ActionFunctionArgs) => {
    const result = await handle(form, args);
    if ('notice' in result) return succeed<FormOutcome>({ type: 'done', ...result }, args);
    if ('file' in result) return fileData(result.file);
    const values = valuesOf(shortened(form));
    if (!('refusal' in result)) {
      return data<FormOutcome>({ type: 'failed', refusal: null, ...result, values }, { status: 422 });
    }
    const { errors = {}, refusal: named } = result;
    const refusal = typeof named === 'string' ? { code: named, retryAfter: null } : named;
    return data<FormOutcome>(
      { type: 'failed', refusal, errors, values },
      { status: statusOfRefusal(refusal.code) },
    );
  };
  return (args: ActionFunctionArgs) =>
    handleForm<FormOutcome | object>(args, refused, (form) => respond(form, args), maxBytes);
}

function fileData({ name, content }: JsonFile): Result<object> {
  return data(content, { headers: { 'content-disposition': `attachment; filename="${name}"` } });
}

/** The `headers` of a page whose form may return a file: `entry.server.tsx` sends it in the place of the page. */
export function fileHeaders({ actionHeaders }: HeadersArgs): Headers {
  return actionHeaders;
}

type Fail<Outcome> = (refusal: Refusal, form: FormData) => Outcome;
type Result<Outcome> = ReturnType<typeof data<Outcome>>;

/**
 * Reads the form of a request and passes it to `handle`. What that throws becomes the outcome that `fail` returns, with the
 * status of the refusal. Responses are passed on.
 */
export async function handleForm<Outcome>(
  { request, context }: Args,
  fail: Fail<Outcome>,
  handle: (form: FormData) => Promise<Result<Outcome>>,
  maxBytes?: number,
): Promise<Result<Outcome>> {
  const form = await readForm(request, maxBytes);
  try {
    return await handle(form);
  } catch (error) {
    if (error instanceof Response) throw error;
    return refuse(refusalOfError(error, context), fail, form);
  }
}

function refuse<Outcome>(refusal: Refusal, fail: Fail<Outcome>, form: FormData): Result<Outcome> {
  return data(fail(refusal, shortened(form)), { status: statusOfRefusal(refusal.code) });
}

/** Longer texts do not return to a document: in HTML a character may take eleven bytes. */
const MAX_RETURNED_LENGTH = 10_000;

function shortened(form: FormData): FormData {
  const short = new FormData();
  for (const [name, value] of form) {
    short.append(name, typeof value === 'string' ? value.slice(0, MAX_RETURNED_LENGTH) : value);
  }
  return short;
}

/**
 * Returns the outcome of a form to client-side code. For a document it throws the redirect to `path`, by default the
 * page of the form, whose loader gets the outcome from `consumeOutcome`.
 */
export function succeed<Outcome>(outcome: Outcome, { request, context }: Args, path?: string) {
  if (!acceptsHtml(request)) return data(outcome, { status: 200 });
  leaveOutcome(outcome, context);
  const { pathname, search } = new URL(request.url);
  throw redirect(path ?? pathname + search, 303);
}

/** Leaves an outcome for the next page, whose loader gets it from `consumeOutcome`. */
export function leaveOutcome(outcome: unknown, { cookies, env }: AppLoadContext): void {
  outcomeCookie.set(cookies, outcome, env.session.secure);
}

/** Browsers accept HTML when they navigate. The `Accept` header of Remix's fetch requests does not contain it. */
function acceptsHtml({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/html') ?? false;
}

/** For a page's loader: the outcome of its form, once. `parse` returns null for a value that is not one of the page's. */
export function consumeOutcome<Outcome>(
  { request, context }: Args,
  parse: (value: unknown) => Outcome | null,
): Outcome | null {
  return parse(outcomeCookie.consume(request, context.cookies, context.env.session.secure));
}

/** For a page's loader: which of the page's notices its form ended with. */
export function consumeNotice<Notice extends string>(args: Args, notices: readonly Notice[]): Notice | null {
  return consumeOutcome(args, (value) => {
    const named = typeof value === 'object' && value !== null && 'notice' in value ? value.notice : null;
    return notices.find((notice) => notice === named) ?? null;
  });
}

/** Passes the outcome of a form to the next page. It contains nothing private. */
const outcomeCookie = createFlashCookie<unknown>('outcome', {
  serialize: (outcome) => Buffer.from(JSON.stringify(outcome)).toString('base64url'),
  parse(text) {
    try {
      return JSON.parse(Buffer.from(text, 'base64url').toString());
    } catch {
      return null;
    }
  },
});

/** What a form says breaks a rule that only the data API knows. The visitor can correct it, so it is not logged. */
export class NotAccepted extends Error {}

/** Logs the error of a call or of an action, and returns what its visitor may know. */
export function refusalOfError(
  error: unknown,
  { log, requestId }: Pick<AppLoadContext, 'log' | 'requestId'>,
): Refusal {
  if (error instanceof NotAccepted) return { code: 'not-accepted', retryAfter: null };
  if (!isUpstreamError(error)) {
    log.error({ err: error, requestId }, 'a form or a call failed');
    return refusalOfStatus(500);
  }
  logUpstreamFailure(log, error, 'a call failed', { requestId });
  return refusalOfUpstream(error);
}

/** Why a call did not have a valid response. */
export function refusalOfUpstream(error: UpstreamError): Refusal {
  const { status: upstreamStatus = 0, retryAfterMs } = error.details;
  const { status } = describeUpstreamFailure(error);
  const isRefused = status === 502 && upstreamStatus >= 400 && upstreamStatus < 500;
  if (isRefused && !(error instanceof ConfigurationError)) return { code: 'refused', retryAfter: null };
  return refusalOfStatus(status, retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1000));
}

/** The page's three operations, in the visitor's name. Whatever happens upstream, the page gets something to show. */
import type { AppLoadContext } from '@remix-run/node';
import type { OperationCall } from '../../server/data-api/operation.ts';
import { publicContext } from '../../server/public-context.ts';
import { UpstreamError } from '../../server/resilience/upstream-error.ts';
import { checkContent, normalizeContent } from './message-content.ts';
import { errorOfOperation, errorOfUpstream, type MessageCall } from './message-errors.server.ts';
import type { CallTiming, MessageErrorCode, MessageFeed, MessageOutcome } from './message-outcome.ts';
import { CREATE_MESSAGE, DELETE_MESSAGE, LIST_MESSAGES } from './test-message.graphql.generated.ts';

export type CallArguments = { request: Request; context: AppLoadContext };

type CallResult<Data> = { data: Data; timing: CallTiming } | { error: MessageErrorCode };

const PAGE_SIZE = 20;
const MAX_ID_LENGTH = 100;
const MAX_TOKEN_LENGTH = 2000;

/** Requests whose form already found that the data API does not answer: the page around it need not wait again. */
const unanswered = new WeakMap<AppLoadContext, MessageErrorCode>();

/** The page of messages after `after`, or the newest. */
export async function listMessages(after: string | null, args: CallArguments): Promise<MessageFeed> {
  if (!isSignedIn(args)) return { state: 'signed-out' };
  if (after !== null && after.length > MAX_TOKEN_LENGTH) return { state: 'failed', error: 'no-such-page' };
  const known = unanswered.get(args.context);
  if (known) return { state: 'failed', error: known };
  const variables = { limit: PAGE_SIZE, nextToken: after };
  const result = await call('list', { ...LIST_MESSAGES, variables }, args);
  if ('error' in result) return { state: 'failed', error: result.error };
  const { items, nextToken } = result.data.listMessages;
  return { state: 'listed', messages: items, nextToken, timing: result.timing };
}

/** Posts the `content` of a form. */
export async function postMessage(form: FormData, args: CallArguments): Promise<MessageOutcome> {
  const content = textOf(form, 'content');
  const failed = (error: MessageErrorCode) => ({ type: 'failed', intent: 'post', error, content }) as const;
  if (!isSignedIn(args)) return failed('signed-out');
  const problem = checkContent(content);
  if (problem) return failed(problem);
  const variables = { content: normalizeContent(content) };
  const result = await call('post', { ...CREATE_MESSAGE, variables }, args);
  return 'error' in result ? failed(result.error) : { type: 'posted', timing: result.timing };
}

/** Deletes the visitor's own message with the `id` of a form. */
export async function deleteMessage(form: FormData, args: CallArguments): Promise<MessageOutcome> {
  const id = textOf(form, 'id');
  const failed = (error: MessageErrorCode) => ({ type: 'failed', intent: 'delete', error }) as const;
  if (!isSignedIn(args)) return failed('signed-out');
  if (id === '' || id.length > MAX_ID_LENGTH) return failed('gone');
  const result = await call('delete', { ...DELETE_MESSAGE, variables: { id } }, args);
  return 'error' in result ? failed(result.error) : { type: 'deleted' };
}

async function call<Data, Variables>(
  name: MessageCall,
  operation: OperationCall<Data, Variables>,
  { request, context }: CallArguments,
): Promise<CallResult<Data>> {
  const { session, sessionMs, dataApi, log, requestId } = context;
  if (session.state !== 'signed-in') return { error: 'signed-out' };
  try {
    const options = { signal: request.signal, requestId, sessionMs };
    const { result, timing } = await dataApi.execute(session, operation, options);
    const { data, errors } = result;
    if (data === null || errors.length > 0) return { error: errorOfOperation(name, errors) };
    return { data, timing: rounded(timing) };
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err;
    log.warn({ err, requestId }, 'data API call failed');
    const error = errorOfUpstream(err);
    unanswered.set(context, error);
    return { error };
  }
}

/** Under a server that opens no context there is no session. */
function isSignedIn({ request, context }: CallArguments): boolean {
  return publicContext(context, request).session.state === 'signed-in';
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Tenths of a millisecond: more digits would only travel. */
function rounded({ identityCached, attempts, ...legs }: CallTiming): CallTiming {
  const tenths = (ms: number) => Math.round(ms * 10) / 10;
  return {
    session: tenths(legs.session),
    identity: tenths(legs.identity),
    sign: tenths(legs.sign),
    upstream: tenths(legs.upstream),
    identityCached,
    attempts,
  };
}

/** The page's operations. They return upstream failures as error codes that the page can show. */
import type { AppLoadContext } from '@remix-run/node';
import type { OperationCall } from '@tenfold/appsync-proxy';
import { isUpstreamError, logUpstreamFailure } from '@tenfold/upstream';
import { refusalOfUpstream } from '../../forms/form-action.server.ts';
import {
  CREATE_MESSAGE,
  DELETE_MESSAGE,
  LIST_MESSAGES,
  REMOVE_MESSAGE,
} from '../../graphql/messages.graphql.generated.ts';
import type { GroupName } from '../../pages.ts';
import { requireSession } from '../../server/rendering/require-session.ts';
import { checkContent, normalizeContent } from './message/message-content.ts';
import {
  type CallErrorCode,
  type CallTiming,
  errorOfOperation,
  type FailedCallTiming,
  type MessageCall,
  type MessageErrorCode,
  type MessageFeed,
  type MessageOutcome,
} from './message-outcome.ts';

export type CallArguments = { request: Request; context: AppLoadContext };

type CallFailure = { error: CallErrorCode; timing: FailedCallTiming | null; retryAfter?: number | null };
type CallResult<Data> = { data: Data; timing: CallTiming } | CallFailure;

const PAGE_SIZE = 20;
const MAX_ID_LENGTH = 100;
/** A rejected text returns to the form, where each character may take eleven bytes. The longest message has 500. */
const MAX_RETURNED_LENGTH = 10_000;
/** The resolvers' own page tokens have 26 characters. Those of AppSync have about 2,600. */
const MAX_TOKEN_LENGTH = 8192;

/**
 * The errors of requests whose action could not reach the data API. Without scripts the loader runs in the same
 * request. It then returns the error instead of calling the data API again.
 */
const actionErrors = new WeakMap<AppLoadContext, CallErrorCode>();

/**
 * Posts in progress, by the id of their session. A document that the visitor loads meanwhile waits for them, because its
 * list would lack the message. Each takes as long as a call at most.
 */
const posts = new Map<string, Promise<unknown>>();

/** The page of messages after the token `after`, or the newest messages. */
export async function listMessages(after: string | null, args: CallArguments): Promise<MessageFeed> {
  if (!isSignedIn(args)) return { state: 'signed-out' };
  if (after !== null && after.length > MAX_TOKEN_LENGTH)
    return { state: 'failed', error: 'no-such-page', timing: null };
  const actionError = actionErrors.get(args.context);
  if (actionError) return { state: 'failed', error: actionError, timing: null };
  await postsOf(args);
  const variables = { limit: PAGE_SIZE, nextToken: after };
  const result = await call('list', { ...LIST_MESSAGES, variables }, args);
  if ('error' in result) return { state: 'failed', error: result.error, timing: result.timing };
  const { items, nextToken } = result.data.listMessages;
  const isAdmin = isIn('admins', args);
  const messages = items.map((message) => ({ ...message, canDelete: message.mine || isAdmin }));
  return { state: 'listed', messages, nextToken, timing: result.timing };
}

/** Posts the `content` in a form. */
export async function postMessage(form: FormData, args: CallArguments): Promise<MessageOutcome> {
  const content = textOf(form, 'content').slice(0, MAX_RETURNED_LENGTH);
  const failed = (failure: CallFailure | { error: MessageErrorCode; timing: null }) =>
    ({ type: 'failed', intent: 'post', content, ...failure }) as const;
  if (!isSignedIn(args)) return failed({ error: 'signed-out', timing: null });
  const problem = checkContent(content);
  if (problem) return failed({ error: problem, timing: null });
  const variables = { content: normalizeContent(content) };
  const result = await untilPosted(args, () => call('post', { ...CREATE_MESSAGE, variables }, args));
  if ('error' in result) return failed(result);
  return { type: 'posted', id: result.data.createMessage.id, timing: result.timing };
}

/**
 * Deletes the message with the `id` in a form: the visitor's own, or with `others` any, for administrators. The data API
 * decides who may. Throws the response for visitors without a session.
 */
export async function deleteMessage(form: FormData, args: CallArguments): Promise<MessageOutcome> {
  const id = textOf(form, 'id');
  const failed = (error: CallErrorCode) => ({ type: 'failed', intent: 'delete', error }) as const;
  requireSession(args.context);
  if (id === '' || id.length > MAX_ID_LENGTH) return failed('gone');
  const variables = { id };
  const result = form.has('others')
    ? await call('delete', { ...REMOVE_MESSAGE, variables }, args)
    : await call('delete', { ...DELETE_MESSAGE, variables }, args);
  return 'error' in result ? failed(result.error) : { type: 'deleted' };
}

async function call<Data, Variables>(
  name: MessageCall,
  operation: OperationCall<Data, Variables>,
  { context }: CallArguments,
): Promise<CallResult<Data>> {
  const { session, sessionMs, dataApi, log, requestId } = context;
  // A visitor who reloads the page while a message is being posted closes the connection. The data API may have it by then.
  const signal = name === 'post' ? new AbortController().signal : context.signal;
  if (session.state !== 'signed-in') return { error: 'signed-out', timing: null };
  let failure: FailedCallTiming | null = null;
  const onFailure = (timing: FailedCallTiming) => {
    failure = { ...roundTiming(timing), failedLeg: timing.failedLeg };
  };
  try {
    const options = { signal, requestId, sessionMs, onFailure };
    const { result, timing } = await dataApi.execute(session, operation, options);
    const { data, errors } = result;
    if (data !== null && errors.length === 0) return { data, timing: roundTiming(timing) };
    return {
      error: errorOfOperation(name, errors[0]?.errorType ?? null),
      timing: { ...roundTiming(timing), failedLeg: 'upstream' },
    };
  } catch (err) {
    if (!isUpstreamError(err)) throw err;
    logUpstreamFailure(log, err, 'data API call failed', { requestId });
    const { code, retryAfter } = refusalOfUpstream(err);
    actionErrors.set(context, code);
    return { error: code, timing: failure, retryAfter };
  }
}

/** Runs `post`, and lets lists of the same session wait for it. */
async function untilPosted<Result>(
  { context: { session } }: CallArguments,
  post: () => Promise<Result>,
): Promise<Result> {
  if (session.state !== 'signed-in') return post();
  const posting = post();
  const all = Promise.allSettled([posts.get(session.id), posting]);
  posts.set(session.id, all);
  try {
    return await posting;
  } finally {
    if (posts.get(session.id) === all) posts.delete(session.id);
  }
}

async function postsOf({ context: { session } }: CallArguments): Promise<void> {
  if (session.state === 'signed-in') await posts.get(session.id);
}

function isIn(group: GroupName, { context: { session } }: CallArguments): boolean {
  return session.state === 'signed-in' && session.user.groups.includes(group);
}

function isSignedIn({ context }: CallArguments): boolean {
  return context.session.state === 'signed-in';
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Rounds to tenths of a millisecond. */
function roundTiming({ identityCached, attempts, ...legs }: CallTiming): CallTiming {
  const tenths = (ms: number) => Math.round(ms * 10) / 10;
  return {
    session: tenths(legs.session),
    identity: tenths(legs.identity),
    sign: tenths(legs.sign),
    upstream: tenths(legs.upstream),
    pause: tenths(legs.pause),
    identityCached,
    attempts,
  };
}

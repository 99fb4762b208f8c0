/** Messages, and the outcomes of calls of the data API, as the test message page shows them. */

import type { CallTiming, FailedCallTiming } from '@tenfold/appsync-proxy';
import {
  type Refusal,
  type RefusalCode,
  refusalOfStatus,
  statusOfRefusal,
} from '../../forms/form-outcome.ts';
import type { MessageParts } from '../../graphql/messages.graphql.generated.ts';

/** `canDelete`: whether the page offers to delete it. Administrators may delete the messages of others too. */
export type Message = MessageParts & { canDelete: boolean };
export type { CallTiming, FailedCallTiming };

/** The statuses of the page's own errors. Each has a message in `test-message.json` under `error`. */
const statuses = {
  empty: 422,
  'too-long': 422,
  rejected: 422,
  'not-yours': 403,
  gone: 404,
  'no-such-page': 404,
} as const;

type OwnErrorCode = keyof typeof statuses;

export type MessageErrorCode = OwnErrorCode | RefusalCode;

/** The errors of a call. The other two codes are errors of the visitor's text, which prevent the call. */
export type CallErrorCode = Exclude<MessageErrorCode, 'empty' | 'too-long'>;

/** Whether an error is one that only this page has. Any form may have the others. */
export function isOwnError(error: MessageErrorCode): error is OwnErrorCode {
  return Object.hasOwn(statuses, error);
}

/** The HTTP status of a response that shows `error`. */
export function statusOfError(error: MessageErrorCode): number {
  return isOwnError(error) ? statuses[error] : statusOfRefusal(error);
}

/**
 * A page of messages, newest first, or the reason why there is none. The timing of a failure is null if no call was
 * made.
 */
export type MessageFeed =
  | { state: 'signed-out' }
  | { state: 'listed'; messages: readonly Message[]; nextToken: string | null; timing: CallTiming }
  | { state: 'failed'; error: CallErrorCode; timing: FailedCallTiming | null };

export type MessageSuccess = { type: 'posted'; id: string; timing: CallTiming } | { type: 'deleted' };

/**
 * `content` is the visitor's text, which returns to the form. `timing` is null if no call was made, and `retryAfter` is in
 * seconds.
 */
export type MessageFailure =
  | {
      type: 'failed';
      intent: 'post';
      error: MessageErrorCode;
      content: string;
      timing: FailedCallTiming | null;
      retryAfter?: number | null;
    }
  | { type: 'failed'; intent: 'delete'; error: CallErrorCode };

/** The outcome of posting or deleting a message. */
export type MessageOutcome = MessageSuccess | MessageFailure;

/** The outcome of a form that did not reach its call. A form beyond every limit has a text that is too long. */
export function failedForm({ code, retryAfter }: Refusal, form: FormData): MessageFailure {
  if (form.get('intent') === 'delete') return { type: 'failed', intent: 'delete', error: code };
  const error = code === 'too-large' ? 'too-long' : code;
  const content = String(form.get('content') ?? '');
  return { type: 'failed', intent: 'post', error, content, timing: null, retryAfter };
}

/**
 * Whether an error is one of the text that was posted. Such errors are shown at the field, and other errors in a
 * notice.
 */
export function isTextError(error: MessageErrorCode): error is 'empty' | 'too-long' | 'rejected' {
  return error === 'empty' || error === 'too-long' || error === 'rejected';
}

export type MessageCall = 'list' | 'post' | 'delete';

const errorsByType: Record<string, Record<MessageCall, CallErrorCode>> = {
  ValidationError: { list: 'no-such-page', post: 'rejected', delete: 'gone' },
  NotFound: { list: 'no-such-page', post: 'unknown', delete: 'gone' },
  PermissionDenied: { list: 'unavailable', post: 'unavailable', delete: 'unavailable' },
  Unauthorized: { list: 'refused', post: 'refused', delete: 'not-yours' },
};

/** The error code for a GraphQL error of the type `errorType`. */
export function errorOfOperation(call: MessageCall, errorType: string | null): CallErrorCode {
  return errorsByType[errorType ?? '']?.[call] ?? 'unknown';
}

/** The error code for a response of the GraphQL proxy, or null for a success. */
export function errorOfProxyResponse(
  call: MessageCall,
  { status, data, errorType }: { status: number; data: unknown; errorType: string | null },
): CallErrorCode | null {
  if (status !== 200) return refusalOfStatus(status).code;
  return data === null || errorType !== null ? errorOfOperation(call, errorType) : null;
}

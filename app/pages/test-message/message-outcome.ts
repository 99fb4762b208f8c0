/** Messages, and the outcomes of calls of the data API, as the test message page shows them. */

import type { MessageParts } from '../../graphql/messages.graphql.generated.ts';
import type { CallTiming, FailedCallTiming } from '../../server/data-api/call-timing.ts';

export type Message = MessageParts;
export type { CallTiming, FailedCallTiming };

/**
 * Each code has a message in `test-message.json` under `error`. Only the browser reports `offline`.
 */
export type MessageErrorCode = 'empty' | 'too-long' | CallErrorCode;

/** The errors of a call. The other two codes are errors of the visitor's text, which prevent the call. */
export type CallErrorCode =
  | 'rejected'
  | 'signed-out'
  | 'not-yours'
  | 'gone'
  | 'no-such-page'
  | 'refused'
  | 'busy'
  | 'too-many-requests'
  | 'timeout'
  | 'unreachable'
  | 'unavailable'
  | 'unknown'
  | 'offline';

/**
 * A page of messages, newest first, or the reason why there is none. The timing of a failure is null if no call was
 * made.
 */
export type MessageFeed =
  | { state: 'signed-out' }
  | { state: 'listed'; messages: readonly Message[]; nextToken: string | null; timing: CallTiming }
  | { state: 'failed'; error: CallErrorCode; timing: FailedCallTiming | null };

export type MessageSuccess = { type: 'posted'; id: string; timing: CallTiming } | { type: 'deleted' };

/** `content` is the visitor's text, which returns to the form. `timing` is null if no call was made. */
export type MessageFailure =
  | {
      type: 'failed';
      intent: 'post';
      error: MessageErrorCode;
      content: string;
      timing: FailedCallTiming | null;
    }
  | { type: 'failed'; intent: 'delete'; error: CallErrorCode };

/** The outcome of posting or deleting a message. */
export type MessageOutcome = MessageSuccess | MessageFailure;

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

const errorsByStatus: Record<number, CallErrorCode> = {
  401: 'signed-out',
  429: 'too-many-requests',
  502: 'unavailable',
  503: 'busy',
  504: 'timeout',
};

/** The error code for a response of the GraphQL proxy, or null for a success. */
export function errorOfProxyResponse(
  call: MessageCall,
  { status, data, errorType }: { status: number; data: unknown; errorType: string | null },
): CallErrorCode | null {
  if (status !== 200) return errorsByStatus[status] ?? 'unknown';
  return data === null || errorType !== null ? errorOfOperation(call, errorType) : null;
}

/** Messages, and the outcomes of calls of the data API, as the test message page shows them. */

import type { CallTiming, FailedCallTiming } from '../../server/data-api/call-timing.ts';
import type { MessageParts } from './test-message.graphql.generated.ts';

export type Message = MessageParts;
export type { CallTiming, FailedCallTiming };

/** Each code has a message in `test-message.json` under `error`. Only the browser reports `offline`. */
export type MessageErrorCode =
  | 'empty'
  | 'too-long'
  | 'rejected'
  | 'signed-out'
  | 'not-yours'
  | 'gone'
  | 'no-such-page'
  | 'refused'
  | 'busy'
  | 'timeout'
  | 'unreachable'
  | 'unavailable'
  | 'unknown'
  | 'offline';

/** A page of messages, newest first, or the reason why there is none. The timing of a failure is null if no call was made. */
export type MessageFeed =
  | { state: 'signed-out' }
  | { state: 'listed'; messages: readonly Message[]; nextToken: string | null; timing: CallTiming }
  | { state: 'failed'; error: MessageErrorCode; timing: FailedCallTiming | null };

export type MessageSuccess = { type: 'posted'; timing: CallTiming } | { type: 'deleted' };

/** `content` is the visitor's text, which returns to the form. `timing` is null if no call was made. */
export type MessageFailure =
  | {
      type: 'failed';
      intent: 'post';
      error: MessageErrorCode;
      content: string;
      timing: FailedCallTiming | null;
    }
  | { type: 'failed'; intent: 'delete'; error: MessageErrorCode };

/** The outcome of posting or deleting a message. */
export type MessageOutcome = MessageSuccess | MessageFailure;

/** Whether an error is one of the text that was posted. Such errors are shown at the field, and other errors in a notice. */
export function isTextError(error: MessageErrorCode): error is 'empty' | 'too-long' | 'rejected' {
  return error === 'empty' || error === 'too-long' || error === 'rejected';
}

/** Messages, and the outcomes of calls of the data API, as the test message page shows them. */

import type { CallTiming } from '../../server/data-api/data-api.ts';
import type { MessageParts } from './test-message.graphql.generated.ts';

export type Message = MessageParts;
export type { CallTiming };

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

/** A page of messages, newest first, or the reason why there is none. */
export type MessageFeed =
  | { state: 'signed-out' }
  | { state: 'listed'; messages: readonly Message[]; nextToken: string | null; timing: CallTiming }
  | { state: 'failed'; error: MessageErrorCode };

export type MessageSuccess = { type: 'posted'; timing: CallTiming } | { type: 'deleted' };

/** `content` is the visitor's text, which returns to the form. */
export type MessageFailure =
  | { type: 'failed'; intent: 'post'; error: MessageErrorCode; content: string }
  | { type: 'failed'; intent: 'delete'; error: MessageErrorCode };

/** The outcome of posting or deleting a message. */
export type MessageOutcome = MessageSuccess | MessageFailure;

/** What the test message page is told of the data API: messages, how a call went, and why one came to nothing. */

import type { CallTiming } from '../../server/data-api/data-api.ts';
import type { MessageParts } from './test-message.graphql.generated.ts';

export type Message = MessageParts;
export type { CallTiming };

/** Each has a sentence in `test-message.json` under `error`. `offline` is the browser's own finding. */
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

/** A page of messages, newest first, or what there is instead. */
export type MessageFeed =
  | { state: 'signed-out' }
  | { state: 'listed'; messages: readonly Message[]; nextToken: string | null; timing: CallTiming }
  | { state: 'failed'; error: MessageErrorCode };

export type MessageSuccess = { type: 'posted'; timing: CallTiming } | { type: 'deleted' };

/** `content` is what the visitor typed, so that it can be given back. */
export type MessageFailure =
  | { type: 'failed'; intent: 'post'; error: MessageErrorCode; content: string }
  | { type: 'failed'; intent: 'delete'; error: MessageErrorCode };

/** How posting or deleting went. */
export type MessageOutcome = MessageSuccess | MessageFailure;

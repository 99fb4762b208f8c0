/**
 * Heads that are sent again and again. Node puts a head together from its headers and checks each name and value anew,
 * which for a page from memory is a sixth of all the work. What it has written is as good for the next such answer.
 */
import type { ServerResponse } from 'node:http';

/** The headers of an answer that is the same for all but in its id, as names and values in turn. */
export type RepeatedHead = {
  readonly headers: readonly string[];
  /** What Node made of them, after the id, and the second that its `Date` says. */
  written: { text: string; second: number } | null;
};

/**
 * Where Node keeps the text of a head. No documented way leads there; a version of Node that has no such text writes
 * every head as usual.
 */
type WithText = { _header?: unknown };

const START = 'HTTP/1.1 200 OK\r\nx-request-id: ';

/** A head of these headers that has not been sent yet. */
export function toRepeatedHead(headers: readonly string[]): RepeatedHead {
  return { headers, written: null };
}

/** Gives `response` the status 200 and the head, with `requestId` as its id. */
export function writeRepeatedHead(response: ServerResponse, requestId: string, head: RepeatedHead): void {
  const { written } = head;
  const second = Math.floor(Date.now() / 1000);
  // Not for who wants the connection closed, nor with a header of its own: a first visit's cookie, or what is said of
  // the connection by a process that ends.
  const isUsual = response.shouldKeepAlive && response.getHeaderNames().length === 0;
  const target: ServerResponse & WithText = response;
  if (isUsual && written?.second === second) {
    target._header = START + requestId + written.text;
    return;
  }
  response.writeHead(200, ['x-request-id', requestId, ...head.headers]);
  const text = target._header;
  if (isUsual && typeof text === 'string' && text.startsWith(START + requestId)) {
    head.written = { text: text.slice(START.length + requestId.length), second };
  }
}

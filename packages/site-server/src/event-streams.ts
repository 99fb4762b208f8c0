/** Responses with server-sent events, which last until the client leaves or the process stops. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * How many bytes may wait for a client, besides those that the system has taken. One that reads more slowly is cut off, and
 * connects again.
 */
const MAX_UNREAD_BYTES = 128 * 1024;

/** Within how many milliseconds browsers connect again after the process has ended their streams. */
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 6000;

export class EventStreams {
  readonly #open = new Set<ServerResponse>();
  #isEnded = false;

  /** Whether the response is a stream, for which the limits of time of other responses do not hold. */
  has(response: ServerResponse): boolean {
    return this.#open.has(response);
  }

  /** Sends the events of `body` as they come, to the end of one of the two. */
  async send(body: Readable, response: ServerResponse): Promise<void> {
    this.add(response);
    // Its source can clean up then.
    response.once('close', () => body.destroy());
    try {
      for await (const chunk of body) {
        if (response.writableEnded) return;
        response.write(chunk);
        if (response.writableLength > MAX_UNREAD_BYTES) break;
      }
      if (body.readableEnded) response.end();
      else response.destroy();
    } catch {
      // The client has disconnected, or the source has failed.
      response.destroy();
    }
  }

  /** Keeps the response open. While the process stops it ends at once. */
  add(response: ServerResponse): void {
    if (this.#isEnded) {
      end(response);
      return;
    }
    this.#open.add(response);
    // Between two events there may be any time.
    response.socket?.setTimeout(0);
    response.once('close', () => this.#open.delete(response));
  }

  /** Ends all streams, and those that begin from now on. Browsers connect again by themselves, to another machine. */
  endAll(): void {
    this.#isEnded = true;
    for (const response of this.#open) end(response);
  }
}

/**
 * Browsers do not connect again all at the same moment. A client that does not read is cut off, because the process would
 * wait for it.
 */
function end(response: ServerResponse): void {
  if (response.writableLength > 0) return void response.destroy();
  const retryMs = MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS);
  response.end(`retry: ${Math.round(retryMs)}\n\n`);
}

/** Whether a response with this `Content-Type` is a stream of events (HTML, section 9.2). */
export function isEventStream(contentType: string | readonly string[] | undefined): boolean {
  return typeof contentType === 'string' && /^text\/event-stream\b/i.test(contentType);
}

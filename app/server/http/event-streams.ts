/** Responses with server-sent events, which last until the client leaves or the process stops. */
import type { ServerResponse } from 'node:http';

export class EventStreams {
  readonly #open = new Set<ServerResponse>();
  #isEnded = false;

  /** Whether the response, if there is one, is a stream, for which the limits of time of other responses do not hold. */
  has(response: ServerResponse | null): boolean {
    return response !== null && this.#open.has(response);
  }

  /** Keeps the response open. While the process stops it ends at once. */
  add(response: ServerResponse): void {
    if (this.#isEnded) return void response.end();
    this.#open.add(response);
    // Between two events there may be any time.
    response.socket?.setTimeout(0);
    response.once('close', () => this.#open.delete(response));
  }

  /** Ends all streams, and those that begin from now on. Browsers connect again by themselves, to another machine. */
  endAll(): void {
    this.#isEnded = true;
    for (const response of this.#open) response.end();
  }
}

/** Whether a response with this `Content-Type` is a stream of events (HTML, section 9.2). */
export function isEventStream(contentType: string | readonly string[] | undefined): boolean {
  return typeof contentType === 'string' && /^text\/event-stream\b/i.test(contentType);
}

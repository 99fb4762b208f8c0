/** One connection: its requests are handled one after the other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ByteBudget } from './byte-budget.ts';
import { isChunked } from './short-chunks.ts';

/**
 * Handles a request. The function that it returns gives the request up: it responds with 503 at once, or cuts off a
 * response that has begun.
 */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => () => void;

/** Browsers and proxies send no request before they have the response to an earlier one. */
const MAX_WAITING = 16;

/** What a waiting request takes besides the characters of its head, and at most for its body, of which no more is read. */
const REQUEST_BYTES = 16 * 1024;
const UNREAD_BODY_BYTES = 68 * 1024;
/** The same for a body in chunks: each takes memory until it is read, however short it is. */
const UNREAD_CHUNKS_BYTES = 512 * 1024;

/**
 * How long a connection stays open after its last bytes, in milliseconds. Closing it at once would reset it, and a client
 * that is still sending would lose the response.
 */
const LINGER_MS = 1000;

type PendingRequest = { request: IncomingMessage; response: ServerResponse };
/** The request that is handled, since when by `performance.now()`, and how to give it up. */
type CurrentRequest = PendingRequest & { startedAt: number; giveUp: () => void };

type ConnectionOptions = {
  socket: Socket;
  /** The address that the connection counts for. */
  address: string;
  handle: RequestHandler;
  budget: ByteBudget;
  /** Called when a response is complete and no other request waits. */
  onIdle: () => void;
};

/**
 * Pipelined requests wait for the responses to those before them (RFC 9112 section 9.3.2), so that a connection costs no
 * more than one response, whether it is read or not.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #waiting: PendingRequest[] = [];
  #current: CurrentRequest | null = null;
  #lastBytes: string | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get address(): string {
    return this.#options.address;
  }

  /** The request that is handled; null between requests. */
  get current(): Readonly<CurrentRequest> | null {
    return this.#current;
  }

  /** Handles a request, after those before it. Returns false if too many wait: then the connection must be closed. */
  receive(request: IncomingMessage, response: ServerResponse): boolean {
    const pending = { request, response };
    if (this.#lastBytes !== null || this.#options.socket.writableEnded) {
      // It follows the last response of the connection. Nothing else would read its body.
      request.resume();
    } else if (!this.#current) {
      this.#start(pending);
    } else if (isChunked(request) && !this.#current.response.headersSent) {
      // Clients that wait for each response send no such request yet. This one can send it again.
      request.resume();
      this.endWith('');
    } else {
      if (this.#waiting.length >= MAX_WAITING || !this.#options.budget.take(bytesOf(pending))) return false;
      this.#waiting.push(pending);
    }
    return true;
  }

  /**
   * Sends the last bytes of the connection, after the responses to its complete requests, and closes it. A request that is
   * not complete gets them instead of a response, unless that has begun: then the connection is closed at once, because
   * the client would read the bytes as a part of the response.
   */
  endWith(bytes: string): void {
    this.#lastBytes = bytes;
    if (this.#waiting.at(-1)?.request.complete === false) this.#forget(this.#waiting.pop());
    if (!this.#current) this.#end(bytes);
    else if (!this.#current.request.complete) {
      if (this.#current.response.headersSent) this.#options.socket.destroy();
      else this.#end(bytes);
    }
  }

  /** Drops the requests that wait. */
  forgetWaiting(): void {
    for (const pending of this.#waiting.splice(0)) this.#forget(pending);
  }

  #start(pending: PendingRequest): void {
    const { socket, handle } = this.#options;
    const { request, response } = pending;
    const current: CurrentRequest = {
      ...pending,
      startedAt: performance.now(),
      giveUp: () => socket.destroy(),
    };
    this.#current = current;
    response.once('close', () => this.#finish(request));
    // Other connections are handled before: one round of the event loop reads many requests from each.
    setImmediate(() => {
      if (!socket.writable) return;
      // Nothing reads the body of such a request. It would take memory until the response is complete.
      if (request.method === 'GET' || request.method === 'HEAD') request.resume();
      current.giveUp = handle(request, response);
    });
  }

  #finish(request: IncomingMessage): void {
    this.#current = null;
    const { socket, onIdle } = this.#options;
    // The client still sends more than `discardRest` reads.
    if (!request.complete) socket.destroy();
    if (socket.destroyed) return;
    const next = this.#waiting.shift();
    this.#forget(next);
    if (next) this.#start(next);
    else if (this.#lastBytes !== null) this.#end(this.#lastBytes);
    else onIdle();
  }

  #forget(pending: PendingRequest | undefined): void {
    if (pending) this.#options.budget.giveBack(bytesOf(pending));
  }

  #end(bytes: string): void {
    const { socket } = this.#options;
    if (!socket.writable) return void socket.destroy();
    socket.end(bytes);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

/** How much memory a waiting request takes at most, in bytes. */
function bytesOf({ request }: PendingRequest): number {
  const { rawHeaders, headers, url = '' } = request;
  const head = url.length + rawHeaders.join('').length;
  const body = Math.min(Number(headers['content-length'] ?? 0), UNREAD_BODY_BYTES);
  return REQUEST_BYTES + head + (isChunked(request) ? UNREAD_CHUNKS_BYTES : body);
}

/**
 * The HTTP server and its connections. What one connection, and all connections together, can make the process hold is
 * bounded: requests that wait, responses that are not read, bodies that are discarded.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { Counts } from './counts.ts';
import type { EventStreams } from './event-streams.ts';
import type { Rejection } from './rejection.ts';
import { addressBlock } from './visitor-address.ts';

/**
 * Headers may have 32 kB because the cookies of a session can have 20 kB. A head that takes longer than ten seconds gets
 * 408 within one second; by default Node checks twice a minute. The limit of the whole request is longer than those of the
 * head and of the body together, so that `readBody` responds to a slow body. Idle connections stay open longer than those
 * of reverse proxies, so that none is closed while a proxy sends a request. At most four kilobytes of a body are kept
 * before a handler reads it: in chunks of one byte, every byte takes microseconds.
 * The request filter rejects a request without a host: responses by Node would be without limit, log line and headers.
 */
export const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 40_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  highWaterMark: 4096,
};

/**
 * How many connections may wait to be accepted, up to the limit of the kernel. Node's default of 511 is too few for a
 * burst: the kernel of a client retries a dropped connection only after one second, then after two more.
 */
export const LISTEN_BACKLOG = 4096;

export type ConnectionLimits = {
  /** Open connections of the process, and of one address where no proxy is trusted to name it. */
  connections: number;
  connectionsPerAddress: number;
  /** Requests of one connection that wait for the response to an earlier one. Browsers and proxies send none ahead. */
  waitingRequests: number;
  /** Bytes that the waiting requests of all connections may take. */
  waitingBytes: number;
  /**
   * In milliseconds: how long a response may make no progress, and how long it may take altogether. One that has not begun
   * by then gets the event `timeout`.
   */
  stalledMs: number;
  responseMs: number;
  /** Bytes of all responses that wait to be read. Beyond that the responses that have taken longest are ended. */
  unreadBytes: number;
  /** How much of a request is discarded after its response, so that a client that goes on sending gets the response. */
  discardedBytes: number;
};

const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 4096,
  connectionsPerAddress: 2048,
  waitingRequests: 16,
  waitingBytes: 16 * 1024 * 1024,
  stalledMs: 30_000,
  responseMs: 5 * 60_000,
  unreadBytes: 64 * 1024 * 1024,
  discardedBytes: 16 * 1024 * 1024,
};

const SWEEP_MS = 1000;

/** How many connections get their error page in one round of the event loop. A page takes about a tenth of a millisecond. */
const REJECTIONS_PER_ROUND = 16;

const shuttingDown: Rejection = { status: 503, code: 'ShuttingDown' };

/** The bytes of the response to a rejected request. `request` is null when its head is not complete. */
export type RejectedResponse = (rejection: Rejection, request: IncomingMessage | null) => string;

/** What a waiting request takes besides its head, and at most for its body, of which no more is read from the connection. */
const REQUEST_BYTES = 4 * 1024;
const UNREAD_BODY_BYTES = 68 * 1024;

/**
 * Node's parser takes about a microsecond for a chunk, however short it is, and one round of the event loop reads up to two
 * megabytes of them from each connection. Up to this number the chunks of a body may have any length. More must have as many
 * bytes each, on average.
 */
const FREE_CHUNKS = 1024;
const BYTES_PER_CHUNK = 64;

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
type PendingRequest = { request: IncomingMessage; response: ServerResponse };
/** The bytes that waiting requests take, of all connections together. */
type WaitingBytes = { total: number };

/** Creates a server that does not listen yet. */
export function createSiteServer(options: ServerOptions = SERVER_OPTIONS): Server {
  const server = createServer(options);
  // Node would drop the headers after the 2,000th, also one that a proxy appends. The request filter rejects so many.
  server.maxHeadersCount = 0;
  // Node's own response to an unknown expectation would lack the site's headers; it may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  return server;
}

type ConnectionsOptions = {
  log: Pick<Log, 'info'>;
  metrics: Pick<Metrics, 'rejected'>;
  /** Whether the address of a connection is that of a visitor, not that of a proxy. */
  areAddressesVisitors: boolean;
  eventStreams: EventStreams;
  limits?: Partial<ConnectionLimits>;
};

/**
 * The open connections of a server, from now on. The requests of one connection are handled one after the other (RFC 9112
 * section 9.3.2), so that a connection costs no more than one response, whether it is read or not.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  readonly #perAddress = new Counts();
  readonly #waitingBytes: WaitingBytes = { total: 0 };
  readonly #rejections: { socket: Socket; rejection: Rejection }[] = [];
  readonly #options: ConnectionsOptions;
  readonly #limits: ConnectionLimits;
  #handle: Handler = () => {};
  #reject: RejectedResponse = () => '';

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    this.#limits = { ...CONNECTION_LIMITS, ...options.limits };
    // Node ends a connection without any traffic for so long, unless its response has a listener for `timeout`. Idle
    // ones have `keepAliveTimeout`.
    server.timeout = this.#limits.stalledMs;
    server.on('connection', (socket) => this.#add(socket));
    server.on('request', (request, response) => this.#receive(request, response));
    setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  /** Responds with `reject` to requests that no handler gets. */
  rejectWith(reject: RejectedResponse): void {
    this.#reject = reject;
  }

  /** Passes the requests to `handle` from now on. */
  serve(handle: Handler): void {
    this.#handle = handle;
  }

  /**
   * Sends a rejection as the last response of a connection, after the responses to its complete requests, and closes it. A
   * request that is not complete gets it instead of a response, unless that has begun: then the connection is closed at
   * once, because the client would read the rejection as a part of the response. Later rounds of the event loop send the
   * rest when many connections are rejected: thousands may time out together.
   */
  reject(socket: Socket, rejection: Rejection): void {
    this.#rejections.push({ socket, rejection });
    if (this.#rejections.length === 1) setImmediate(() => this.#sendRejections());
  }

  /** Closes connections that have not received a byte. Browsers open some ahead; Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes connections without a pending response, such as those that send a head without end. A part of a head gets 503. */
  closeWithoutResponse(): void {
    for (const [socket, { current }] of this.#connections) {
      if (current !== null) continue;
      if (socket.bytesRead === 0) socket.destroy();
      else this.reject(socket, shuttingDown);
    }
  }

  /** Makes the handlers respond at once, where their response has not begun. */
  endWaiting(): void {
    for (const { current } of this.#connections.values()) {
      if (current !== null && !current.headersSent) current.emit('timeout');
    }
  }

  #sendRejections(): void {
    for (const { socket, rejection } of this.#rejections.splice(0, REJECTIONS_PER_ROUND)) {
      const connection = this.#connections.get(socket);
      if (connection) connection.endWith((request) => this.#reject(rejection, request));
      else socket.destroy();
    }
    if (this.#rejections.length > 0) setImmediate(() => this.#sendRejections());
  }

  #add(socket: Socket): void {
    const address = this.#options.areAddressesVisitors ? addressBlock(socket.remoteAddress ?? '') : '';
    const ofAddress = this.#perAddress.get(address);
    if (this.#isFull() || (address !== '' && ofAddress >= this.#limits.connectionsPerAddress)) {
      this.#close(socket, 'TooManyConnections');
      return;
    }
    this.#perAddress.add(address);
    const connection = new Connection(socket, this.#waitingBytes, () => this.#close(socket, 'TinyChunks'));
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      connection.forgetWaiting();
      this.#connections.delete(socket);
      this.#perAddress.remove(address);
    });
  }

  /** Whether there are too many connections, also after some were closed that are not in use. */
  #isFull(): boolean {
    if (this.#connections.size < this.#limits.connections) return false;
    this.closeUnused();
    this.#closeLongestIdle();
    const open = [...this.#connections.keys()].filter(({ destroyed }) => !destroyed);
    return open.length >= this.#limits.connections;
  }

  /**
   * Closes the sixteenth of the connections that has been idle longest. A visitor who has just received a response keeps
   * the connection: a request that is sent while it is closed would be lost.
   */
  #closeLongestIdle(): void {
    const idle = [...this.#connections]
      .flatMap(([socket, { idleSince }]) => (idleSince === null ? [] : [{ socket, idleSince }]))
      .sort((one, other) => one.idleSince - other.idleSince);
    for (const { socket } of idle.slice(0, Math.ceil(this.#limits.connections / 16))) socket.destroy();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    // What the parser found in the same bytes before it noticed that the connection was closed.
    if (!connection || socket.destroyed) return;
    const { waitingRequests, waitingBytes } = this.#limits;
    const isTooMuch = connection.waiting >= waitingRequests || this.#waitingBytes.total > waitingBytes;
    // A request that does not have to wait is handled, whatever others have sent ahead.
    if (connection.current !== null && isTooMuch) this.#close(socket, 'TooManyPipelinedRequests');
    else connection.receive({ request, response }, this.#handle, this.#limits.discardedBytes);
  }

  #close(socket: Socket, code: string): void {
    this.#options.metrics.rejected(code);
    this.#options.log.info({ code }, 'connection closed');
    socket.destroy();
  }

  /** Ends responses that take too long and, while too many bytes are unread, those that have taken longest. */
  #sweep(): void {
    const now = performance.now();
    let unreadBytes = 0;
    for (const [socket, { current, respondsSince }] of this.#connections) {
      const isStream = this.#options.eventStreams.has(current);
      if (!isStream && respondsSince !== null && now - respondsSince > this.#limits.responseMs) {
        if (!current || current.headersSent || !current.emit('timeout')) socket.destroy();
      } else unreadBytes += socket.writableLength;
    }
    const slowest = [...this.#connections]
      .filter(([{ writableLength }]) => writableLength > 0)
      .sort(([, a], [, b]) => (a.respondsSince ?? now) - (b.respondsSince ?? now));
    for (const [socket] of slowest) {
      if (unreadBytes <= this.#limits.unreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  }
}

/** How often the rest of a request that is being discarded is measured. */
const DISCARD_CHECK_MS = 100;

/**
 * How long a connection stays open after its last response, in milliseconds, or after the last bytes of a request that is
 * being discarded. Closing it at once would reset it, and a client that is still sending would lose the response.
 */
const LINGER_MS = 1000;

/** One connection: the request that is handled, and those that wait. */
class Connection {
  /** When the handling of the current request began, by `performance.now()`; null between requests. */
  respondsSince: number | null = null;
  readonly #socket: Socket;
  readonly #waiting: PendingRequest[] = [];
  readonly #waitingBytes: WaitingBytes;
  readonly #onTinyChunks: () => void;
  #current: PendingRequest | null = null;
  /** Whether a request has been handled in this round of the event loop. */
  #hasRun = false;
  #finishedAt: number | null = null;
  #handle: Handler = () => {};
  #discardedBytes = 0;
  #lastBytes: string | null = null;

  constructor(socket: Socket, waitingBytes: WaitingBytes, onTinyChunks: () => void) {
    this.#socket = socket;
    this.#waitingBytes = waitingBytes;
    this.#onTinyChunks = onTinyChunks;
  }

  /** The response that is being prepared or sent. */
  get current(): ServerResponse | null {
    return this.#current?.response ?? null;
  }

  /** When the last response was complete, by `performance.now()`; null before the first request, and during requests. */
  get idleSince(): number | null {
    return this.#current ? null : this.#finishedAt;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  receive(pending: PendingRequest, handle: Handler, discardedBytes: number): void {
    const { request } = pending;
    const isChunked = 'transfer-encoding' in request.headers;
    if (isChunked) this.#countChunks(request);
    if (this.#lastBytes !== null) {
      request.resume();
      return;
    }
    this.#handle = handle;
    this.#discardedBytes = discardedBytes;
    if (!this.#current) {
      if (this.#hasRun) this.#runInNextRound(pending);
      else this.#run(pending);
    } else if (isChunked) {
      // Each chunk takes some hundred bytes until it is read, however short it is. The client can send the request again.
      request.resume();
      this.endWith(() => '');
    } else {
      this.#waiting.push(pending);
      this.#waitingBytes.total += bytesOf(pending);
    }
  }

  /** Drops the requests that wait, from the one at `index` on. */
  forgetWaiting(index = 0): void {
    for (const pending of this.#waiting.splice(index)) this.#waitingBytes.total -= bytesOf(pending);
  }

  endWith(respond: (request: IncomingMessage | null) => string): void {
    const incomplete = this.#waiting.findIndex(({ request }) => !request.complete);
    const rejected = this.#current?.request.complete === false ? this.#current : this.#waiting[incomplete];
    const bytes = respond(rejected?.request ?? null);
    this.#lastBytes = bytes;
    if (incomplete !== -1) this.forgetWaiting(incomplete);
    if (!this.#current) this.#end(bytes);
    else if (!this.#current.request.complete) {
      if (this.#current.response.headersSent) this.#socket.destroy();
      else this.#end(bytes);
    }
  }

  #end(bytes: string): void {
    if (!this.#socket.writable) return void this.#socket.destroy();
    this.#socket.end(bytes);
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  #countChunks(request: IncomingMessage): void {
    let chunks = 0;
    let bytes = 0;
    const count = ({ length }: Buffer) => {
      chunks += 1;
      bytes += length;
      if (chunks <= FREE_CHUNKS + bytes / BYTES_PER_CHUNK) return;
      this.#onTinyChunks();
      // Node would go on to parse, and to emit, what it has read together with this chunk.
      request.off('data', count).destroy();
    };
    // Without the pause, the listener would make the body flow before the handler reads it. A body of which nothing has been
    // read would lose the listener when the response is complete.
    request.pause().on('data', count).read(0);
  }

  /** Other connections are handled before: one round reads up to two megabytes of requests from each. */
  #runInNextRound(pending: PendingRequest): void {
    this.#current = pending;
    setImmediate(() => this.#run(pending));
  }

  #run(pending: PendingRequest): void {
    this.#current = pending;
    this.#hasRun = true;
    setImmediate(() => {
      this.#hasRun = false;
    });
    this.respondsSince = performance.now();
    pending.response.once('close', () => this.#finish(pending.request));
    // Nothing reads the body of such a request. It would take memory until the response is complete.
    if (pending.request.method === 'GET' || pending.request.method === 'HEAD') pending.request.resume();
    void this.#handle(pending.request, pending.response);
  }

  #finish(request: IncomingMessage): void {
    const next = this.#waiting.shift() ?? null;
    if (next) this.#waitingBytes.total -= bytesOf(next);
    this.#current = null;
    this.respondsSince = null;
    this.#finishedAt = performance.now();
    if (this.#socket.destroyed) return;
    if (!request.complete) this.#discardRest(request);
    if (next) this.#runInNextRound(next);
    else if (this.#lastBytes !== null) this.#end(this.#lastBytes);
  }

  /** Reads on until the request ends, or the client stops sending. Then the connection accepts the next request. */
  #discardRest(request: IncomingMessage): void {
    const start = this.#socket.bytesRead;
    let last = start;
    let lastProgress = performance.now();
    request.resume();
    const check = setInterval(() => {
      const { bytesRead, destroyed } = this.#socket;
      const now = performance.now();
      if (bytesRead > last) lastProgress = now;
      last = bytesRead;
      if (request.complete || destroyed) clearInterval(check);
      else if (bytesRead - start > this.#discardedBytes || now - lastProgress > LINGER_MS)
        this.#socket.destroy();
    }, DISCARD_CHECK_MS);
    check.unref();
  }
}

/** How much memory a waiting request takes at most, in bytes. */
function bytesOf({ request: { rawHeaders, headers, url = '' } }: PendingRequest): number {
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  return REQUEST_BYTES + head + Math.min(Number(headers['content-length'] ?? 0), UNREAD_BODY_BYTES);
}

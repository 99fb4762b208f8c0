/** The open connections of a server. What they can make the process hold, and for how long, is bounded. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ByteBudget, requestBytes } from './byte-budget.ts';
import { Connection, type RequestHandler } from './connection.ts';
import { createRounds } from './event-loop-rounds.ts';
import type { EventStreams } from './event-streams.ts';
import type { Log } from './log/log.ts';
import { Quota } from './quota.ts';
import type { ServerMetrics } from './rules.ts';
import { limitShortChunks } from './short-chunks.ts';
import { addressBlock } from './visitor-address.ts';

export type ConnectionLimits = {
  /** Open connections of the process, and of one address where no proxy is trusted to name it. */
  connections: number;
  connectionsPerAddress: number;
  /** How long a connection may have no traffic while a response is in progress, in milliseconds. */
  stalledMs: number;
  /** How long a response may take, in milliseconds. */
  responseMs: number;
  /** Bytes of all responses that wait to be read. With more, a response that is not read may take `crowdedMs`. */
  unreadBytes: number;
  crowdedMs: number;
  /** What requests may take while they wait on their connection. */
  budget: ByteBudget;
};

const LIMITS: ConnectionLimits = {
  connections: 4096,
  connectionsPerAddress: 512,
  stalledMs: 30_000,
  responseMs: 5 * 60_000,
  unreadBytes: 64 * 1024 * 1024,
  crowdedMs: 5000,
  budget: requestBytes,
};

const SWEEP_MS = 1000;

type ConnectionsOptions = {
  log: Pick<Log, 'info'>;
  metrics: Pick<ServerMetrics, 'rejected'>;
  /** Whether the address of a connection is that of a visitor, not that of a proxy. */
  areAddressesVisitors: boolean;
  eventStreams: EventStreams;
  /** Renders the response to a request that is malformed or incomplete, by the code of its error. */
  renderError: (code: string) => string;
  limits?: Partial<ConnectionLimits>;
};

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #limits: ConnectionLimits;
  readonly #quota: Quota;
  /** Of those without a request, the one that has been idle longest is first. */
  readonly #open = new Map<Socket, Connection>();
  /** Those with an error. Node reports it again for all that the client sends after it. */
  readonly #failed = new WeakSet<Socket>();
  readonly #nextRound = createRounds();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    const { connections: max, connectionsPerAddress } = this.#limits;
    const maxPerKey = options.areAddressesVisitors ? connectionsPerAddress : max;
    this.#quota = new Quota({ max, maxPerKey });
  }

  /** Passes the requests of a server to `handle`, from now on. */
  serve(server: Server, handle: RequestHandler): void {
    server.on('connection', (socket) => this.#add(socket, handle));
    server.on('request', (request, response) => this.#receive(request, response));
    // The server has no TLS, so its connections are sockets.
    server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, stream) => {
      void this.#endWithError(stream as Socket, code);
    });
    server.setTimeout(this.#limits.stalledMs, (socket) => this.#giveUp(socket));
    setInterval(() => this.#giveUpLate(), SWEEP_MS).unref();
  }

  /** Gives up the requests whose response has not begun. */
  giveUpNotBegun(): void {
    for (const { current } of this.#open.values()) if (!current?.response.headersSent) current?.giveUp();
  }

  /**
   * Closes connections without a request in progress: browsers open some ahead, and Node does not count them as idle. A
   * part of a head gets 503.
   */
  closeWithoutRequest(): void {
    for (const [socket, connection] of this.#open) {
      if (connection.current) continue;
      if (socket.bytesRead === 0) socket.destroy();
      else void this.#endWithError(socket, 'ShuttingDown');
    }
  }

  #add(socket: Socket, handle: RequestHandler): void {
    const address = addressBlock(socket.remoteAddress ?? '');
    if (this.#quota.isFull) this.#closeLongestIdle();
    if (!this.#quota.take(address)) return void this.#close(socket, 'TooManyConnections');
    const { budget } = this.#limits;
    const onIdle = () => this.#moveToEnd(socket);
    this.#open.set(socket, new Connection({ socket, address, handle, budget, onIdle }));
    socket.once('close', () => this.#forget(socket));
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    // What the parser found in the same bytes before it noticed that the connection was closed.
    if (!connection || socket.destroyed) return;
    limitShortChunks(request, () => this.#close(socket, 'TinyChunks'));
    if (!connection.receive(request, response)) this.#close(socket, 'TooManyPipelinedRequests');
  }

  /** Gives up the responses that take too long, and sooner those that are not read while too many bytes are unread. */
  #giveUpLate(): void {
    const now = performance.now();
    const { unreadBytes, crowdedMs, responseMs } = this.#limits;
    const unread = [...this.#open.keys()].reduce((sum, { writableLength }) => sum + writableLength, 0);
    for (const [{ writableLength }, { current }] of this.#open) {
      if (!current) continue;
      const isInTheWay = unread > unreadBytes && writableLength > 0;
      const maxMs = this.#options.eventStreams.has(current.response) ? Infinity : responseMs;
      if (now - current.startedAt > (isInTheWay ? crowdedMs : maxMs)) current.giveUp();
    }
  }

  /** Thousands of connections may reach their limit of time together, and other requests are handled between them. */
  async #endWithError(socket: Socket, code: string): Promise<void> {
    if (this.#failed.has(socket)) return;
    this.#failed.add(socket);
    await this.#nextRound();
    const connection = this.#open.get(socket);
    if (connection && socket.writable) connection.endWith(this.#options.renderError(code));
    else socket.destroy();
  }

  #giveUp(socket: Socket): void {
    const current = this.#open.get(socket)?.current;
    if (current) current.giveUp();
    else socket.destroy();
  }

  #closeLongestIdle(): void {
    for (const [socket, { current }] of this.#open) {
      if (current) continue;
      socket.destroy();
      return void this.#forget(socket);
    }
  }

  #moveToEnd(socket: Socket): void {
    const connection = this.#open.get(socket);
    this.#open.delete(socket);
    if (connection) this.#open.set(socket, connection);
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    this.#quota.release(connection.address);
    connection.forgetWaiting();
  }

  #close(socket: Socket, code: string): void {
    this.#options.metrics.rejected(code);
    this.#options.log.info({ code }, 'connection closed');
    socket.destroy();
  }
}

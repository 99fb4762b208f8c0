/** The connection to Valkey or Redis. Commands have short timeouts and a circuit breaker: no request waits for long. */

import {
  type CircuitBreaker,
  type Clock,
  createCircuitBreaker,
  type Log,
  UpstreamError,
  type UpstreamMetrics,
} from '#upstream';
import type { RedisClient } from './redis-client.ts';

const COMMAND_TIMEOUT_MS = 200;
const TIMEOUT_STEPS = 5;
const BREAKER = { service: 'shared-store', failuresToOpen: 3, openMs: 1000 } as const;
/** After this many timeouts in a row the connection is considered dead and a new one is opened. */
const TIMEOUTS_TO_RECONNECT = 10;

type RedisConnectionDeps = { clock: Clock; log: Log; metrics: Pick<UpstreamMetrics, 'circuitChanged'> };

/**
 * Connects in the background, and reconnects whenever the connection is lost. The address is never logged. The Redis
 * client is loaded here, so that a site without Redis does not load it.
 */
export class RedisConnection {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly firstAttempt: Promise<void>;
  readonly #url: string;
  readonly #log: Log;
  readonly #breaker: CircuitBreaker;
  #client: RedisClient | null = null;
  /** One line is logged when the connection is lost and one when it is back, however many attempts lie between. */
  #isLost = false;
  #isEnded = false;
  /** Commands in a row that have timed out. */
  #timeouts = 0;
  #endFirstAttempt = () => {};

  constructor(url: string, { clock, log, metrics }: RedisConnectionDeps) {
    this.#url = url;
    this.#log = log;
    this.#breaker = createCircuitBreaker({ ...BREAKER, clock, log, metrics });
    this.firstAttempt = new Promise((resolve) => {
      this.#endFirstAttempt = resolve;
    });
    void this.#connect();
  }

  /** Whether there is a connection. */
  isReady(): boolean {
    return this.#client?.isReady ?? false;
  }

  async #connect(): Promise<void> {
    const { createRedisClient, errorReason } = await import('./redis-client.ts');
    if (this.#isEnded) return;
    this.#client?.destroy();
    const onError = (error: unknown) => this.#onLost(errorReason(error));
    this.#client = createRedisClient(this.#url)
      .on('error', onError)
      .on('ready', () => this.#onReady());
    this.#client.connect().catch(onError);
  }

  #onLost(reason: string): void {
    this.#endFirstAttempt();
    if (this.#isLost) return;
    this.#isLost = true;
    this.#log.error({ reason }, 'shared store unreachable: using the in-memory store');
  }

  #onReady(): void {
    this.#endFirstAttempt();
    // Failures from before this connection do not count against it.
    this.#breaker.close();
    this.#log.info(this.#isLost ? 'shared store reconnected' : 'shared store connected');
    this.#isLost = false;
  }

  /**
   * Returns the reply to a command. Rejects with an `UpstreamError` of the service `shared-store`: after `timeoutMs`
   * (200), at once while there is no connection, and at once for a second after three failures in a row.
   */
  execute<Reply>(
    command: (client: RedisClient) => Promise<Reply>,
    timeoutMs = COMMAND_TIMEOUT_MS,
  ): Promise<Reply> {
    return this.#breaker.run(async () => {
      try {
        if (!this.#client?.isReady) throw unavailable('NetworkError');
        const reply = await withTimeout(command(this.#client), timeoutMs);
        this.#timeouts = 0;
        return reply;
      } catch (error) {
        const failure = error instanceof UpstreamError ? error : unavailable('NetworkError', error);
        this.#timeouts = failure.code === 'TimeoutError' ? this.#timeouts + 1 : 0;
        if (this.#timeouts >= TIMEOUTS_TO_RECONNECT) this.#reconnect();
        throw failure;
      }
    });
  }

  #reconnect(): void {
    this.#timeouts = 0;
    void this.#connect();
  }

  disconnect(): void {
    this.#isEnded = true;
    this.#client?.destroy();
  }
}

/**
 * Rejects when there is no reply after `timeoutMs`. The time is counted in steps: in a busy process the reply may have
 * arrived but not been read yet, and a single timer would fire first.
 */
async function withTimeout<Reply>(reply: Promise<Reply>, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let steps = 0;
    const timer = setInterval(() => {
      steps += 1;
      if (steps < TIMEOUT_STEPS) return;
      clearInterval(timer);
      reject(unavailable('TimeoutError'));
    }, timeoutMs / TIMEOUT_STEPS);
    reply.then(resolve, reject).finally(() => clearInterval(timer));
  });
}

function unavailable(code: 'NetworkError' | 'TimeoutError', cause?: unknown): UpstreamError {
  return new UpstreamError('shared-store', code, 'The shared store does not respond.', { cause });
}

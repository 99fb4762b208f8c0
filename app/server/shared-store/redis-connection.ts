/** The connection to Valkey or Redis. Commands have short timeouts and a circuit breaker: no request waits for long. */
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { RedisClient } from './redis-client.ts';

export type RedisConnection = {
  /**
   * Returns the reply to a command. Rejects with an `UpstreamError` of the service `shared-store`: after `timeoutMs`
   * (200), at once while there is no connection, and at once for a second after three failures in a row.
   */
  execute<Reply>(command: (client: RedisClient) => Promise<Reply>, timeoutMs?: number): Promise<Reply>;
  /** Resolves when the first attempt to connect has succeeded or failed. */
  firstAttempt: Promise<void>;
  /** Whether there is a connection. */
  isReady(): boolean;
  close(): void;
};

const COMMAND_TIMEOUT_MS = 200;
const TIMEOUT_STEPS = 5;
const BREAKER = { service: 'shared-store', failuresToOpen: 3, openMs: 1000 } as const;
/** After this many timeouts in a row the connection is considered dead and a new one is opened. */
const TIMEOUTS_TO_RECONNECT = 10;

type RedisConnectionDeps = { clock: Clock; log: Log; metrics: Pick<Metrics, 'circuitChanged'> };

type ConnectionListener = {
  onLost(reason: string): void;
  onReady(): void;
  /** Resolves with the first change. */
  firstChange: Promise<void>;
};

/**
 * Connects in the background, and reconnects whenever the connection is lost. `url` is never logged. The Redis client
 * is loaded here, so that a site without Redis does not load it.
 */
export function connectToRedis(url: string, { clock, log, metrics }: RedisConnectionDeps): RedisConnection {
  const breaker = createCircuitBreaker({ ...BREAKER, clock, log, metrics });
  // Failures from before this connection do not count against it.
  const listener = watchChanges(log, { onReady: () => breaker.close() });
  let client: RedisClient | null = null;
  let isClosed = false;

  const connect = async () => {
    const { createRedisClient, errorReason } = await import('./redis-client.ts');
    if (isClosed) return;
    client?.destroy();
    const onError = (error: unknown) => listener.onLost(errorReason(error));
    client = createRedisClient(url).on('error', onError).on('ready', listener.onReady);
    client.connect().catch(onError);
  };
  void connect();
  const countTimeouts = createTimeoutCounter(() => void connect());

  return {
    execute: (command, timeoutMs = COMMAND_TIMEOUT_MS) =>
      breaker.run(async () => {
        try {
          if (!client?.isReady) throw unavailable('NetworkError');
          const reply = await withTimeout(command(client), timeoutMs);
          countTimeouts(null);
          return reply;
        } catch (error) {
          const failure = error instanceof UpstreamError ? error : unavailable('NetworkError', error);
          countTimeouts(failure);
          throw failure;
        }
      }),
    firstAttempt: listener.firstChange,
    isReady: () => client?.isReady ?? false,
    close() {
      isClosed = true;
      client?.destroy();
    },
  };
}

/** Creates a function that is called after each command, and calls `onDead` after too many timeouts in a row. */
function createTimeoutCounter(onDead: () => void): (failure: UpstreamError | null) => void {
  let timeouts = 0;
  return (failure) => {
    timeouts = failure?.code === 'TimeoutError' ? timeouts + 1 : 0;
    if (timeouts < TIMEOUTS_TO_RECONNECT) return;
    timeouts = 0;
    onDead();
  };
}

/** Logs one line when the connection is lost and one when it is ready again, however many attempts lie between. */
function watchChanges(log: Log, { onReady }: Pick<ConnectionListener, 'onReady'>): ConnectionListener {
  let isLost = false;
  let resolveFirstChange = () => {};
  const firstChange = new Promise<void>((resolve) => {
    resolveFirstChange = resolve;
  });
  return {
    firstChange,
    onLost(reason) {
      resolveFirstChange();
      if (isLost) return;
      isLost = true;
      log.error({ reason }, 'shared store unreachable: using the in-memory store');
    },
    onReady() {
      resolveFirstChange();
      onReady();
      log.info(isLost ? 'shared store reconnected' : 'shared store connected');
      isLost = false;
    },
  };
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

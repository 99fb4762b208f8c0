/** The connection to the Valkey or Redis that machines share through, made so that nobody ever waits for it long. */

import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';

/** A large library, which only a site that names a store has read. */
type Library = typeof import('@redis/client');
type Client = ReturnType<typeof newClient>;

export type RedisConnection = {
  /**
   * What a command answers. Rejects with an `UpstreamError` of the service `shared-store`: after `timeoutMs` (200), at
   * once while there is no connection, and at once for a second after three commands failed in a row.
   */
  ask<Reply>(command: (client: Client) => Promise<Reply>, timeoutMs?: number): Promise<Reply>;
  disconnect(): void;
};

const COMMAND_TIMEOUT_MS = 200;
const TIMEOUT_STEPS = 5;
const CONNECT_TIMEOUT_MS = 2000;
const LONGEST_PAUSE_MS = 2000;
const MAX_COMMANDS = 50_000;
const FAILURES_TO_OPEN = 3;
const OPEN_MS = 1000;
/** After so many unanswered commands in a row the other end is taken for gone, and looked for anew. */
const TIMEOUTS_TO_RECONNECT = 10;

type RedisConnectionDeps = { clock: Clock; log: Log; metrics: Pick<Metrics, 'circuitChanged'> };

/** Connects in the background, and again whenever the connection is lost. `url` appears in no log line. */
export function connectToRedis(url: string, { clock, log, metrics }: RedisConnectionDeps): RedisConnection {
  const breaker: CircuitBreaker = createCircuitBreaker('shared-store', clock, log, {
    failuresToOpen: FAILURES_TO_OPEN,
    openMs: OPEN_MS,
    metrics,
  });
  const announce = announceChanges(breaker, log);
  let client: Client | null = null;
  let isOver = false;
  let timeouts = 0;

  const connect = async () => {
    const library = await import('@redis/client');
    client?.destroy();
    client = isOver ? null : open(newClient(library, url), announce(library));
  };
  void connect();

  const settle = (error: unknown) => {
    timeouts = error instanceof UpstreamError && error.code === 'TimeoutError' ? timeouts + 1 : 0;
    if (timeouts < TIMEOUTS_TO_RECONNECT) return;
    timeouts = 0;
    void connect();
  };

  return {
    ask: (command, timeoutMs = COMMAND_TIMEOUT_MS) =>
      breaker.run(async () => {
        try {
          if (!client?.isReady) throw unavailable('NetworkError');
          const reply = await inTime(command(client), timeoutMs);
          settle(null);
          return reply;
        } catch (error) {
          const failure = error instanceof UpstreamError ? error : unavailable('NetworkError', error);
          settle(failure);
          throw failure;
        }
      }),
    disconnect() {
      isOver = true;
      client?.destroy();
    },
  };
}

/** Commands are refused while there is no connection: what would wait for it is no use to anybody later. */
function newClient({ createClient }: Library, url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_COMMANDS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS),
    },
  });
}

function open(client: Client, { lost, back }: { lost(error: unknown): void; back(): void }): Client {
  client.on('error', lost);
  client.on('ready', back);
  client.connect().catch(lost);
  return client;
}

/** One line when the store is lost and one when it is back, however often it was looked for in between. */
function announceChanges(breaker: CircuitBreaker, log: Log) {
  let isLost = false;
  return ({ ErrorReply }: Library) => ({
    lost(error: unknown) {
      if (isLost) return;
      isLost = true;
      log.error({ reason: reasonOf(error, ErrorReply) }, 'shared store lost: this machine goes on alone');
    },
    back() {
      // What failed without a connection says nothing about this one.
      breaker.close();
      log.info(isLost ? 'shared store is back' : 'shared store connected');
      isLost = false;
    },
  });
}

/** The system's code, or the first word of what the store answered (`WRONGPASS`): neither tells the address. */
function reasonOf(error: unknown, ErrorReply: Library['ErrorReply']): string {
  if (!(error instanceof Error)) return 'Unknown';
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'ErrorReply';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}

/**
 * The reply, if it comes in time. The time is counted in steps: a process that was busy with other things for all of
 * it has not waited, and the reply may be there as soon as it looks.
 */
async function inTime<Reply>(reply: Promise<Reply>, timeoutMs: number): Promise<Reply> {
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
  return new UpstreamError('shared-store', code, 'The shared store does not answer.', { cause });
}

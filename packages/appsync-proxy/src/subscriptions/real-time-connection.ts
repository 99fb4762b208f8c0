/**
 * One connection to AppSync's real-time endpoint, with all subscriptions started.
 * https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
 */
import { WebSocket } from 'undici';
import { z } from 'zod';
import { createDispatcher, parseJson, withDeadline } from '#upstream';
import type { SubscriptionOperation } from '../data-api/operation.ts';
import type { Authorize } from './real-time-authorization.ts';

/** Why a connection was not opened, or has ended. It contains nothing that AppSync has said but types of errors. */
export class ConnectionEnd extends Error {
  override readonly name = 'ConnectionEnd';

  constructor(
    readonly code: string,
    /** Whether the same credentials will be denied again. */
    readonly isRefusal = false,
  ) {
    super(`The real-time connection ended: ${code}.`);
  }
}

export type RealTimeConnection = {
  /** Resolves with the reason when it has ended, `Closed` after `close`. */
  ended: Promise<ConnectionEnd>;
  /** Whether it has not ended. */
  isOpen(): boolean;
  /**
   * Stops the subscriptions, and then ends the connection. Resolves to whether AppSync has confirmed each stop, so that
   * every event before it has arrived.
   */
  finish(): Promise<boolean>;
  close(): void;
};

export type Payload = { data?: unknown; errors?: unknown };

export type ConnectionOptions = {
  url: string;
  authorize: Authorize;
  operations: readonly SubscriptionOperation[];
  /** Aborts the opening. */
  signal: AbortSignal;
  /** How long AppSync may take to acknowledge the connection, or the subscriptions, in milliseconds. */
  acknowledgeMs: number;
  onData(operation: SubscriptionOperation, payload: Payload): void;
};

/** AppSync's payloads have at most 240 kB. */
const MAX_FRAME_BYTES = 1024 * 1024;
const MIN_SILENCE_MS = 1000;
const DEFAULT_SILENCE_MS = 5 * 60 * 1000;

/** What another attempt with the same credentials does not change. Errors without a code have only a type. */
const REFUSED_CODES = [400, 401, 403];
const REFUSED_TYPES =
  /^(?:Unauthorized|BadRequest|AccessDenied|ExpiredToken|UnrecognizedClient|IncompleteSignature|InvalidSignature)(?:Exception)?$/;

const errorSchema = z.object({
  errorType: z
    .string()
    .regex(/^[\w:.]{1,80}$/)
    .optional()
    .catch(undefined),
  errorCode: z.number().optional().catch(undefined),
});
const frameSchema = z.object({
  type: z.string(),
  id: z.string().optional(),
  payload: z
    .object({
      connectionTimeoutMs: z.number().min(MIN_SILENCE_MS).max(DEFAULT_SILENCE_MS).catch(DEFAULT_SILENCE_MS),
      data: z.unknown().optional(),
      errors: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
});
type Frame = z.infer<typeof frameSchema>;

/** A larger frame ends its connection. */
const dispatcher = createDispatcher({ webSocket: { maxPayloadSize: MAX_FRAME_BYTES } });

/**
 * Opens a connection and starts the subscriptions. Rejects with `ConnectionEnd` when AppSync refuses or does not acknowledge
 * one of them, and with the reason of `signal`.
 */
export async function openConnection(options: ConnectionOptions): Promise<RealTimeConnection> {
  const { url, authorize, operations, signal, acknowledgeMs, onData } = options;
  signal.throwIfAborted();
  const header = Buffer.from(JSON.stringify(await authorize('/connect', '{}'))).toString('base64url');
  const socket = new WebSocket(url, { protocols: ['graphql-ws', `header-${header}`], dispatcher });
  const end = deferred<ConnectionEnd>();
  const acknowledged = deferred<void>();
  const started = operations.map(() => deferred<void>());
  const completed = operations.map(() => deferred<void>());
  let isOpen = true;
  let silenceMs = DEFAULT_SILENCE_MS;
  let silence: NodeJS.Timeout | undefined;
  let isFinishing = false;

  const finishWith = (reason: ConnectionEnd) => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(silence);
    end.resolve(reason);
    socket.close();
  };
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => finishWith(new ConnectionEnd('Silence')), silenceMs);
  };
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  const onFrame = ({ type, id, payload }: Frame) => {
    const index = Number(id);
    const operation = operations[index];
    switch (type) {
      case 'connection_ack':
        silenceMs = payload?.connectionTimeoutMs ?? silenceMs;
        listen();
        return acknowledged.resolve();
      case 'start_ack':
        return started[index]?.resolve();
      case 'data':
        return operation && payload && onData(operation, payload);
      case 'complete':
        completed[index]?.resolve();
        // Without a `stop` before it, AppSync has ended the subscription.
        return isFinishing ? undefined : finishWith(new ConnectionEnd('Completed'));
      case 'error':
      case 'connection_error':
        return finishWith(toEnd(payload));
    }
  };
  socket.addEventListener('open', () => send({ type: 'connection_init' }));
  socket.addEventListener('message', ({ data }) => {
    if (!isOpen) return;
    listen();
    const frame = frameSchema.safeParse(typeof data === 'string' ? parseJson(data) : null);
    // What a broken frame reports would be lost.
    if (frame.success) onFrame(frame.data);
    else finishWith(new ConnectionEnd('InvalidFrame'));
  });
  socket.addEventListener('error', () => finishWith(new ConnectionEnd('NetworkError')));
  socket.addEventListener('close', () => finishWith(new ConnectionEnd('Disconnected')));
  listen();

  /** Resolves as `expected` does, unless the connection ends or the time is over before. */
  const within = (expected: Promise<unknown>, code: string, aborted?: AbortSignal) =>
    withDeadline(acknowledgeMs, aborted, async (limit) => {
      limit.addEventListener('abort', () =>
        finishWith(new ConnectionEnd(aborted?.aborted ? 'Closed' : code)),
      );
      const reason = await Promise.race([expected.then(() => null), end.promise]);
      if (reason) throw reason;
    });

  const connection: RealTimeConnection = {
    ended: end.promise,
    isOpen: () => isOpen,
    close: () => finishWith(new ConnectionEnd('Closed')),
    async finish() {
      isFinishing = true;
      for (const index of operations.keys()) send({ type: 'stop', id: String(index) });
      const isConfirmed = await within(Promise.all(completed.map(({ promise }) => promise)), 'NoStop').then(
        () => true,
        () => false,
      );
      connection.close();
      return isConfirmed;
    },
  };
  try {
    await within(acknowledged.promise, 'NoConnectionAck', signal);
    for (const [index, { query }] of operations.entries()) {
      const data = JSON.stringify({ query, variables: {} });
      const payload = { data, extensions: { authorization: await authorize('', data) } };
      send({ id: String(index), type: 'start', payload });
    }
    await within(Promise.all(started.map(({ promise }) => promise)), 'NoStartAck', signal);
    return connection;
  } catch (error) {
    connection.close();
    signal.throwIfAborted();
    throw error;
  }
}

type Deferred<T> = { promise: Promise<T>; resolve(value: T): void };

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The end that an error frame reports. Its message may contain the signed request, and is not read. */
function toEnd(payload: Frame['payload']): ConnectionEnd {
  const [{ errorType = 'UnknownError', errorCode } = {}] =
    z.array(errorSchema).safeParse(payload?.errors).data ?? [];
  const isRefusal =
    errorCode === undefined ? REFUSED_TYPES.test(errorType) : REFUSED_CODES.includes(errorCode);
  return new ConnectionEnd(errorType, isRefusal);
}

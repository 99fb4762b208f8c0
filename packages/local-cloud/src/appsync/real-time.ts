/**
 * The real-time endpoint of AppSync: WebSocket connections with the protocol `graphql-ws`, on the path of a custom domain.
 * https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
 */
import WebSocket from 'ws';
import WebSocketServer from 'ws/lib/websocket-server.js';
import { z } from 'zod';
import {
  type Clock,
  type CloudRequest,
  type CloudResponse,
  json,
  type UnreliableHandler,
} from '../http/exchange.ts';
import type { Upgrade } from '../http/server.ts';
import { RequestError } from './appsync-errors.ts';
import type { DataApi } from './data-api.ts';

const REAL_TIME_PATH = '/graphql/realtime';

export type RealTimeDeps = {
  dataApi: Pick<DataApi, 'authorize' | 'subscribe'>;
  clock: Clock;
  /** How long a client may wait for a frame, in milliseconds. */
  timeoutMs: () => number;
  /** Injects faults. A response is a frame, and its request has the operation as the end of its path. */
  withFaults(handler: (request: CloudRequest) => Promise<CloudResponse>): UnreliableHandler;
};

const MAX_FRAME_BYTES = 240 * 1024;
const MAX_SUBSCRIPTIONS = 200;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const full = new RequestError(400, 'MaxSubscriptionsReachedError', 'Max number of subscriptions reached');
/** Of the time that a client waits. */
const KEEP_ALIVES = 5;

const headersSchema = z.record(z.string(), z.string());
const frameSchema = z.object({
  type: z.string(),
  id: z.string().optional(),
  payload: z.unknown().optional(),
});
const startSchema = z.object({
  data: z.string(),
  extensions: z.object({ authorization: headersSchema }),
});

const server = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_FRAME_BYTES,
  handleProtocols: () => 'graphql-ws',
});

/** Returns the handler of connections that a client upgrades. */
export function createRealTime(deps: RealTimeDeps): Upgrade {
  return (incoming, socket, head, url) => {
    const protocols = (incoming.headers['sec-websocket-protocol'] ?? '').split(/, */);
    if (url.pathname !== REAL_TIME_PATH || !protocols.includes('graphql-ws')) {
      return void socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    }
    const encoded =
      protocols.find((name) => name.startsWith('header-'))?.slice('header-'.length) ??
      url.searchParams.get('header') ??
      '';
    server.handleUpgrade(incoming, socket, head, (client) => serve(client, encoded, url, deps));
  };
}

function serve(client: WebSocket, encoded: string, { origin }: URL, deps: RealTimeDeps): void {
  const { dataApi, clock, timeoutMs } = deps;
  const openedAt = clock();
  const subscriptions = new Map<string, () => void>();
  let state: 'new' | 'connecting' | 'connected' = 'new';
  let keepAlive: NodeJS.Timeout | undefined;
  /** Frames leave in the order of their events. */
  let sent: Promise<unknown> = Promise.resolve();

  /** Sends the frame that `handler` responds with, or what an injected fault makes of it. */
  const respond = async (
    operation: string,
    request: Omit<CloudRequest, 'method' | 'url'>,
    handler: (request: CloudRequest) => Promise<object>,
    id?: string,
  ): Promise<boolean> => {
    const respondWith = deps.withFaults(async (given) => json(200, await handler(given)));
    const url = new URL(`/graphql${operation === 'start' ? '' : `/${operation}`}`, origin);
    const response = await respondWith({ method: 'POST', url, ...request });
    if ('broken' in response) {
      if (response.broken === 'reset') client.terminate();
      return false;
    }
    const text = String(response.body ?? '');
    client.send(response.status === 200 && id !== undefined ? text.replace('{', `{"id":"${id}",`) : text);
    return response.status === 200 && !/^\{"type":"(?:connection_)?error"/.test(text);
  };
  const enqueue = (frame: object, operation: string, id?: string) => {
    sent = sent.then(() => respond(operation, { headers: {}, body: Buffer.alloc(0) }, async () => frame, id));
  };
  const connect = async () => {
    const request = { headers: parseHeaders(encoded), body: Buffer.from('{}') };
    const isConnected = await respond('connect', request, (given) =>
      dataApi.authorize(given).then(
        () => ({ type: 'connection_ack', payload: { connectionTimeoutMs: timeoutMs() } }),
        (error: unknown) => errorFrame('connection_error', error, request),
      ),
    );
    if (!isConnected) return;
    state = 'connected';
    enqueue({ type: 'ka' }, 'ka');
    keepAlive = setInterval(() => {
      if (clock() - openedAt > MAX_AGE_MS) client.close();
      else enqueue({ type: 'ka' }, 'ka');
    }, timeoutMs() / KEEP_ALIVES);
  };
  const start = async (id: string, payload: unknown) => {
    const { data, success } = startSchema.safeParse(payload);
    const headers = success ? lowerCase(data.extensions.authorization) : {};
    const request = { headers, body: Buffer.from(data?.data ?? '') };
    await respond(
      'start',
      request,
      async (given) => {
        try {
          if (subscriptions.size >= MAX_SUBSCRIPTIONS) throw full;
          subscriptions.set(id, () => {});
          const stop = await dataApi.subscribe(given, (event) =>
            enqueue({ type: 'data', payload: event }, 'data', id),
          );
          if (client.readyState === WebSocket.OPEN && subscriptions.has(id)) subscriptions.set(id, stop);
          else stop();
          return { type: 'start_ack' };
        } catch (error) {
          if (error !== full) subscriptions.delete(id);
          return errorFrame('error', error, request);
        }
      },
      id,
    );
  };
  const onFrame = ({ type, id = '', payload }: z.infer<typeof frameSchema>) => {
    if (type === 'connection_init' && state === 'new') {
      state = 'connecting';
      return connect();
    }
    // AppSync ignores what comes before its acknowledgment.
    if (state !== 'connected') return;
    if (type === 'start') return start(id, payload);
    if (type === 'stop') {
      if (!subscriptions.has(id)) return;
      subscriptions.get(id)?.();
      subscriptions.delete(id);
      return enqueue({ type: 'complete' }, 'complete', id);
    }
    const message = `${type} not supported through the realtime channel`;
    client.send(JSON.stringify(errorOf('error', 'UnsupportedOperation', message)));
  };
  client.on('message', async (bytes) => {
    try {
      await onFrame(frameSchema.parse(JSON.parse(String(bytes))));
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof z.ZodError)) {
        console.error('The local cloud failed to handle a frame:', error);
      }
      client.close();
    }
  });
  client.on('error', () => client.terminate());
  client.on('close', () => {
    clearInterval(keepAlive);
    for (const stop of subscriptions.values()) stop();
  });
}

/** Formats injected errors. The operations are `connect`, `start`, `data`, `ka` and `complete`. */
export const realTimeFaults = {
  operationOf: ({ url }: CloudRequest) => operationOf(url),
  errorResponse: (
    { url }: CloudRequest,
    { type, message, status = 401 }: { type: string; message: string; status: number | undefined },
  ) =>
    json(200, errorOf(operationOf(url) === 'connect' ? 'connection_error' : 'error', type, message, status)),
};

function operationOf({ pathname }: URL): string {
  return pathname.split('/')[2] ?? 'start';
}

function errorOf(type: string, errorType: string, message: string, errorCode?: number): object {
  return { type, payload: { errors: [{ errorType, message, errorCode }] } };
}

/** Like AppSync, it repeats the request whose signature is wrong. */
function errorFrame(type: string, error: unknown, request: Pick<CloudRequest, 'headers'>): object {
  if (!(error instanceof RequestError)) throw error;
  const { status, errorType, message } = error;
  if (errorType === 'InvalidSignatureException') {
    const text = `${message}\n\nThe Canonical String for this request should have been\n${JSON.stringify(request.headers)}`;
    return errorOf(type, 'BadRequestException', text, 400);
  }
  return status === 403
    ? errorOf(type, 'UnauthorizedException', 'You are not authorized to make this call.', 401)
    : errorOf(type, errorType, message, status);
}

/** Returns the headers in `header-…` or the query, base64 or base64url. A request without them is not authorized. */
function parseHeaders(encoded: string): Record<string, string> {
  try {
    return lowerCase(headersSchema.parse(JSON.parse(Buffer.from(encoded, 'base64').toString())));
  } catch {
    return {};
  }
}

/** Without the header that Amplify adds after it has signed the others, which AppSync accepts. */
function lowerCase(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => name !== 'x-amz-user-agent'));
}

/** HTTP/1.1 requests over a kept connection, byte by byte as they are written here. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { settlesWithin } from '../timing/settles-within.ts';
import type { MixedRequest } from './mixed-requests.ts';

export type ReceivedResponse = {
  status: number;
  /** By lower-case name; several lines of one header are joined by a line feed. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

type SentRequest = Omit<MixedRequest, 'attack'>;

/** Sends requests one after the other. */
export type RawClient = {
  send(request: SentRequest): Promise<ReceivedResponse>;
  close(): void;
};

/** The site answers within 30 s. */
const MAX_MS = 40_000;

/**
 * Creates a client for a port of this machine, over TLS if there is a `certificate`. It connects again when the server has
 * closed the connection.
 */
export function createRawClient(port: number, certificate?: string): RawClient {
  let socket: Socket | null = null;
  const open = (): Socket => {
    const opened =
      certificate === undefined
        ? connect({ port, host: '127.0.0.1', noDelay: true })
        : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate });
    // A server closes idle connections.
    return opened.on('error', () => {});
  };
  const answer = async (request: SentRequest): Promise<ReceivedResponse> => {
    const isKept = socket !== null && !socket.destroyed && !socket.readableEnded;
    // A server may close an idle connection while a request is on its way. That request was not handled.
    const response = socket !== null && isKept ? await exchange(socket, request) : null;
    if (response !== null) return response;
    socket = open();
    const second = await exchange(socket, request);
    if (second === null) throw new Error('The connection was closed without a response');
    return second;
  };
  return {
    send: (request) =>
      settlesWithin(MAX_MS, answer(request)).catch((error) => {
        throw new Error(`${error.message}: ${JSON.stringify(request).slice(0, 500)}`, { cause: error });
      }),
    close: () => void socket?.destroy(),
  };
}

/** Sends the request. Resolves with null when the connection ends before the first byte of the response. */
async function exchange(socket: Socket, request: SentRequest): Promise<ReceivedResponse | null> {
  let received = Buffer.alloc(0);
  socket.write(toBytes(request));
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received = Buffer.concat([received, chunk]);
      const response = parseResponse(received, request.method, false);
      if (response === null) continue;
      if (response.headers.connection?.toLowerCase() === 'close') socket.destroy();
      return response;
    }
  } catch (error) {
    if (received.length > 0) throw error;
  }
  if (received.length === 0) return null;
  const response = parseResponse(received, request.method, true);
  if (response === null) throw new Error('The response is incomplete');
  return response;
}

function toBytes({ method, path, headers, body }: SentRequest): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`];
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

/** The complete response at the beginning of `bytes`, or null. `isClosed` ends a body without a length. */
function parseResponse(bytes: Buffer, method: string, isClosed: boolean): ReceivedResponse | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status === 100) return parseResponse(bytes.subarray(end + 4), method, isClosed);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  const body = parseBody(bytes.subarray(end + 4), { status, headers }, method, isClosed);
  return body && { status, headers, body: decode(body, headers['content-encoding']) };
}

function parseBody(
  rest: Buffer,
  { status, headers }: Omit<ReceivedResponse, 'body'>,
  method: string,
  isClosed: boolean,
): Buffer | null {
  if (method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
  if (headers['transfer-encoding'] === 'chunked') return parseChunks(rest);
  const length = headers['content-length'];
  if (length === undefined) return isClosed ? rest : null;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null;
}

function parseChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  for (let position = 0; ; ) {
    const end = bytes.indexOf('\r\n', position);
    if (end === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', position, end), 16);
    if (bytes.length < end + 2 + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    position = end + 2 + size + 2;
  }
}

function decode(body: Buffer, coding: string | undefined): string {
  if (body.length === 0) return '';
  if (coding === 'br') return brotliDecompressSync(body).toString();
  return (coding === 'gzip' ? gunzipSync(body) : body).toString();
}

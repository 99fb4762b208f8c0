/** HTTP/1.1 requests over a kept connection, byte by byte as they are written here. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { MixedRequest } from './mixed-requests.ts';

export type ReceivedResponse = {
  status: number;
  /** By lower-case name; several lines of one header are joined by a line feed. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** Sends requests one after the other. */
export type RawClient = {
  send(request: Omit<MixedRequest, 'attack'>): Promise<ReceivedResponse>;
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
  const open = (): Socket =>
    certificate === undefined
      ? connect({ port, host: '127.0.0.1', noDelay: true })
      : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate });
  const exchange = (request: Omit<MixedRequest, 'attack'>): Promise<ReceivedResponse> =>
    new Promise((resolve, reject) => {
      // A server closes idle connections.
      const used = socket && !socket.destroyed && !socket.readableEnded ? socket : open();
      socket = used;
      let received: Buffer = Buffer.alloc(0);
      const timer = setTimeout(() => {
        const sent = toBytes(request).toString('latin1').slice(0, 500);
        end(
          () => reject(new Error(`No complete response to ${sent}\n${received.toString('latin1', 0, 500)}`)),
          false,
        );
      }, MAX_MS);
      const end = (action: () => void, keep: boolean) => {
        clearTimeout(timer);
        used.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
        used.on('error', () => {});
        if (!keep) {
          used.destroy();
          socket = null;
        }
        action();
      };
      used.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const response = parseResponse(received, request.method, false);
        if (response) end(() => resolve(response), response.headers.connection?.toLowerCase() !== 'close');
      });
      const fail = () =>
        reject(
          received.length === 0 ? new ClosedEarly('no response') : new Error('The response is incomplete'),
        );
      used.on('error', () => end(fail, false));
      used.on('close', () => {
        const response = parseResponse(received, request.method, true);
        end(() => (response ? resolve(response) : fail()), false);
      });
      used.write(toBytes(request));
    });
  return {
    async send(request) {
      const isReused = socket !== null;
      // A server may close an idle connection while a request is on its way. That request was not handled.
      return exchange(request).catch((error) => {
        if (!isReused || !(error instanceof ClosedEarly)) throw error;
        return exchange(request);
      });
    },
    close: () => void socket?.destroy(),
  };
}

/** The connection ended before the first byte of the response. */
class ClosedEarly extends Error {}

function toBytes({ method, path, headers, body }: Omit<MixedRequest, 'attack'>): Buffer {
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
  const body = parseBody(bytes.subarray(end + 4), { status, headers, method, isClosed });
  return body && { status, headers, body: decode(body, headers['content-encoding']) };
}

function parseBody(
  rest: Buffer,
  {
    status,
    headers,
    method,
    isClosed,
  }: { status: number; headers: Record<string, string>; method: string; isClosed: boolean },
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

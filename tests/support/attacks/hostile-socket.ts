/** A connection whose client decides when it reads. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Connects to the host and port of `origin`. Nothing is read before `resume`. Each character of a text is sent as one byte.
 * Errors are ignored: the site may have closed the connection.
 */
export async function openHostileSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) }).setDefaultEncoding('latin1');
  socket.on('error', () => {});
  await once(socket, 'connect').catch(() => {});
  return socket.pause();
}

/** Opens many connections at once. */
export function openHostileSockets(origin: string, count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => openHostileSocket(origin)));
}

export type RequestLines = { method?: string; path: string; headers?: Record<string, string>; body?: string };

/** Returns the bytes of a request, with its `Host`, and the length of its body. */
export function requestText(
  origin: string,
  { method = 'GET', path, headers = {}, body }: RequestLines,
): string {
  const framing = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body, 'latin1')) };
  const fields = Object.entries({ host: new URL(origin).host, ...framing, ...headers });
  const lines = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

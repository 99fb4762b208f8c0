/** A connection whose client decides when it reads. */
import { once } from 'node:events';
import { connect } from 'node:net';

export type HostileSocket = {
  /** Sends text, each character as one byte, or bytes. Ignores that the server has closed the connection. */
  write(bytes: string | Buffer): void;
  /** Reads from now on. Until then, nothing is read. */
  read(): void;
  /** Stops reading. */
  pause(): void;
  /** Ends the sending direction. */
  halfClose(): void;
  destroy(): void;
  isClosed(): boolean;
  /** Resolves when the connection is closed. */
  closed: Promise<void>;
  /** Everything read so far. */
  received(): string;
};

/** Connects to the host and port of `origin`. */
export async function openHostileSocket(origin: string): Promise<HostileSocket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  // The site may have ended.
  await once(socket, 'connect').catch(() => {});
  socket.pause();
  return {
    write: (bytes) => void (socket.writable && socket.write(bytes, 'latin1')),
    read() {
      if (socket.listenerCount('data') === 0) socket.on('data', (chunk) => void chunks.push(chunk));
      socket.resume();
    },
    pause: () => void socket.pause(),
    halfClose: () => void socket.end(),
    destroy: () => void socket.destroy(),
    isClosed: () => isClosed,
    closed,
    received: () => Buffer.concat(chunks).toString('latin1'),
  };
}

/** Opens many connections at once. */
export function openHostileSockets(origin: string, count: number): Promise<HostileSocket[]> {
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

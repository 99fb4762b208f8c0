/** A TCP connection to the site, for bytes that an HTTP client would not send. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { findRegisteredSecret } from '../secrets/secret-detection.ts';

export type RawSocket = {
  write(bytes: string): void;
  /**
   * Returns everything received when the server has closed the connection. Rejects after `ms` milliseconds, and when
   * the received text contains a secret.
   */
  readUntilClosed(ms?: number): Promise<string>;
  destroy(): void;
};

/** Connects to the host and port of `origin`. With `keepHalfOpen` the socket can write after the server has ended. */
export async function openRawSocket(origin: string, keepHalfOpen = false): Promise<RawSocket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: keepHalfOpen });
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += text));
  // A reset also closes the connection: what was received before it is the result.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return {
    write: (bytes) => void socket.write(bytes, 'latin1'),
    async readUntilClosed(ms = 20_000) {
      const timer = setTimeout(() => socket.destroy(new Error('timeout')), ms);
      await closed;
      clearTimeout(timer);
      if (socket.errored?.message === 'timeout') throw new Error(`Still open after ${ms} ms: ${received}`);
      const secret = findRegisteredSecret(received);
      if (secret !== null) throw new Error(`The connection exposed ${secret}`);
      return received;
    },
    destroy: () => socket.destroy(),
  };
}

/** Whether a server accepts connections at this port of an address of this machine. */
export async function acceptsConnections(port: number, address = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns the statuses of the responses in the text received over a connection. */
export function parseStatuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

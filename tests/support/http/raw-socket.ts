/** A connection to the site under a test's own hand: whatever bytes, whenever. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { findRegisteredSecret } from '../secrets/secret-detection.ts';

export type RawSocket = {
  write(bytes: string): void;
  /**
   * All that came, once the other side has closed the connection; rejects after `ms` milliseconds, and when a secret
   * was given away in it.
   */
  readUntilClosed(ms?: number): Promise<string>;
  destroy(): void;
};

/** Opens a connection to the host and port of `origin`. A stubborn one goes on when the other side has ended its part. */
export async function openRawSocket(origin: string, keepHalfOpen = false): Promise<RawSocket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: keepHalfOpen });
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += text));
  // A reset is an end too; what had come by then is what counts.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return {
    write: (bytes) => void socket.write(bytes, 'latin1'),
    async readUntilClosed(ms = 5000) {
      const timer = setTimeout(() => socket.destroy(new Error('late')), ms);
      await closed;
      clearTimeout(timer);
      if (socket.errored?.message === 'late') throw new Error(`Still open after ${ms} ms: ${received}`);
      const secret = findRegisteredSecret(received);
      if (secret !== null) throw new Error(`The connection gave away ${secret}`);
      return received;
    },
    destroy: () => socket.destroy(),
  };
}

/** The status lines of the answers in what came over a connection. */
export function parseStatuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

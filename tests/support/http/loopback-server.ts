/** Servers of the tests themselves, on free ports of the loopback address. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as TcpServer } from 'node:net';

/** Starts the server on a free port of 127.0.0.1, or another address of this machine, and returns its origin. */
export async function listenOnLoopback(server: TcpServer, host = '127.0.0.1'): Promise<string> {
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Expected a TCP address');
  return `http://${host}:${address.port}`;
}

/** Stops the server and closes every connection, also those with a request in progress. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Ending in order: what is being answered is answered, what comes next goes to another machine. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from './log.server.ts';

/** How long a balancer may need to see that `/readyz` says no, in milliseconds. */
const NOTICE_MS = 2_000;
/** After this many milliseconds from the signal the process ends, whatever is still open. */
const DEADLINE_MS = 10_000;

export type Draining = { isDraining(): boolean };

/**
 * On SIGTERM: not ready any more, every answer says `Connection: close` for two seconds, then no new connections, and
 * the process exits 0 when the last answer is out. On SIGINT the same without the wait; a second signal ends it at once.
 * An exception that nobody caught, and a promise whose rejection nobody handled, end it as SIGTERM does, but with 1:
 * what the process holds in memory is in doubt from then on.
 */
export function endInOrder(server: Server, log: Log): Draining {
  let draining = false;
  let exitCode = 0;

  const closeUnused = trackUnused(server);

  const drain = (noticeMs: number) => {
    draining = true;
    setTimeout(() => process.exit(1), DEADLINE_MS).unref();
    setTimeout(() => {
      server.close(() => process.exit(exitCode));
      server.closeIdleConnections();
      closeUnused();
    }, noticeMs);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (draining) process.exit(1);
    log.info({ signal }, 'draining');
    drain(signal === 'SIGTERM' ? NOTICE_MS : 0);
  };
  // A promise that was rejected and not handled comes here too, as an exception.
  const onFault = (err: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    log.fatal({ err, origin }, draining ? 'fault while draining' : 'fault: draining');
    exitCode = 1;
    if (!draining) drain(NOTICE_MS);
  };

  server.on('request', (_request, response) => {
    if (draining) response.setHeader('connection', 'close');
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onFault);
  return { isDraining: () => draining };
}

/**
 * Notes connections; gives the way to close those over which no byte has come yet. Browsers open them ahead of time, and
 * to Node they are not idle but about to ask.
 */
function trackUnused(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

/** Ending in order: what is being answered is answered, what comes next goes to another machine. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../observability/log.ts';

/** How long a balancer may need to see that `/readyz` says no, in milliseconds. */
const NOTICE_MS = 2_000;
/** How long after that a head that has begun may take to come whole. What has been asked by then is answered. */
const HEAD_MS = 1_000;
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

  const connections = trackConnections(server);

  const drain = (noticeMs: number) => {
    draining = true;
    setTimeout(() => process.exit(1), DEADLINE_MS).unref();
    setTimeout(() => {
      server.close(() => process.exit(exitCode));
      server.closeIdleConnections();
      connections.closeUnused();
      setTimeout(connections.closeUnasked, HEAD_MS).unref();
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
 * Notes connections; gives the ways to close those over which no byte has come yet, and all over which nothing has been
 * asked that is still to be answered. Browsers open the first kind ahead of time, and to Node they are not idle but
 * about to ask; who sends a head without an end could hold up the process for as long as it lets them.
 */
function trackConnections(server: Server): { closeUnused(): void; closeUnasked(): void } {
  const answers = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket) => {
    answers.set(socket, null);
    socket.once('close', () => answers.delete(socket));
  });
  server.on('request', ({ socket }, response) => void answers.set(socket, response));
  return {
    closeUnused() {
      for (const socket of answers.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    closeUnasked() {
      for (const [socket, answer] of answers) if (!answer || answer.writableFinished) socket.destroy();
    },
  };
}

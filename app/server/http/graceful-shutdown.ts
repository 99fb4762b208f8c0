/** Graceful shutdown: requests in progress are completed, and the load balancer sends new ones to other machines. */
import type { Server } from 'node:http';
import type { Log } from '../observability/log.ts';
import type { Connections } from './connections.ts';

/** How long a load balancer may need to notice that `/readyz` returns 503, in milliseconds. */
const NOTICE_MS = 2_000;
/** How long after that a request head that has begun may take to arrive completely. */
const HEAD_MS = 1_000;
/** The process exits this many milliseconds after the signal, whatever is still open. */
export const SHUTDOWN_DEADLINE_MS = 10_000;

export type Shutdown = { isDraining(): boolean };

/**
 * Installs the signal handlers. On SIGTERM the site is no longer ready and every response says `Connection: close` for
 * two seconds; then the server accepts no new connections, and the process exits 0 when the last response is complete.
 * SIGINT does the same without the two seconds; a second signal exits at once. An uncaught exception or unhandled
 * rejection shuts down as SIGTERM does but exits 1, because the state in memory may be wrong.
 */
export function installGracefulShutdown(server: Server, connections: Connections, log: Log): Shutdown {
  let isDraining = false;
  let exitCode = 0;

  const drain = (noticeMs: number) => {
    isDraining = true;
    setTimeout(() => process.exit(1), SHUTDOWN_DEADLINE_MS).unref();
    setTimeout(() => {
      server.close(() => process.exit(exitCode));
      server.closeIdleConnections();
      connections.closeUnused();
      setTimeout(connections.closeWithoutResponse, HEAD_MS).unref();
    }, noticeMs);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (isDraining) process.exit(1);
    log.info({ signal }, 'draining');
    drain(signal === 'SIGTERM' ? NOTICE_MS : 0);
  };
  // Unhandled rejections arrive here too.
  const onException = (err: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    log.fatal(
      { err, origin },
      isDraining ? 'uncaught exception while draining' : 'uncaught exception: draining',
    );
    exitCode = 1;
    if (!isDraining) drain(NOTICE_MS);
  };

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onException);
  return { isDraining: () => isDraining };
}

/** Graceful shutdown: requests in progress are completed, and the load balancer sends new ones to other machines. */
import type { Server } from 'node:http';
import type { Connections } from './connections.ts';
import type { EventStreams } from './event-streams.ts';
import type { Log } from './log/log.ts';

/** How long after the notice the head of a request may take to arrive, in milliseconds. Then its connection is closed. */
const HEAD_MS = 1_000;
/** How long after the notice responses may take. Then those that have not begun are replaced by 503. */
const RESPONSE_MS = 6_500;
/** How long after the notice the process exits, whatever is still open. */
const COMPLETION_MS = 8_000;

/** The state of a server that its handler depends on. */
export type Lifecycle = { isDraining(): boolean; eventStreams: EventStreams };

export type ShutdownOptions = {
  connections: Connections;
  eventStreams: EventStreams;
  /** Stops what runs beside the requests, after the last response and within the same deadline. */
  stopServices: () => Promise<void>;
  log: Log;
  /** How long a load balancer may need to notice that `/readyz` returns 503, in milliseconds. */
  noticeMs: number;
};

/** Returns how many milliseconds after the signal the process exits at the latest. */
export function shutdownDeadlineMs(noticeMs: number): number {
  return noticeMs + COMPLETION_MS;
}

/**
 * Installs the signal handlers. On SIGTERM the site is no longer ready, streams of events end, and every response says
 * `Connection: close` for `noticeMs`; then the server accepts no new connections. When the last response is complete, the
 * services stop, and the process exits 0. SIGINT does the same without the notice; a second signal exits at once. An uncaught exception or unhandled
 * rejection shuts down as SIGTERM does but exits 1, because the state in memory may be wrong.
 */
export function installGracefulShutdown(
  server: Server,
  { connections, eventStreams, stopServices, log, noticeMs }: ShutdownOptions,
): Pick<Lifecycle, 'isDraining'> {
  let isDraining = false;
  let exitCode = 0;

  const drain = (openMs: number) => {
    isDraining = true;
    eventStreams.endAll();
    setTimeout(() => process.exit(1), shutdownDeadlineMs(noticeMs)).unref();
    setTimeout(() => {
      server.close(() => void stopServices().finally(() => process.exit(exitCode)));
      setTimeout(() => connections.closeWithoutRequest(), HEAD_MS).unref();
      setTimeout(() => connections.giveUpNotBegun(), RESPONSE_MS).unref();
    }, openMs);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (isDraining) process.exit(1);
    log.info({ signal }, 'draining');
    drain(signal === 'SIGTERM' ? noticeMs : 0);
  };
  // Unhandled rejections arrive here too.
  const onException = (err: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    log.fatal(
      { err, origin },
      isDraining ? 'uncaught exception while draining' : 'uncaught exception: draining',
    );
    exitCode = 1;
    if (!isDraining) drain(noticeMs);
  };

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onException);
  return { isDraining: () => isDraining };
}

/** Ending in order: what is being answered is answered, what comes next goes to another machine. */
import type { Server } from 'node:http';
import type { Log } from './log.server.ts';

/** How long a balancer may need to see that `/readyz` says no, in milliseconds. */
const NOTICE_MS = 2_000;
/** After this many milliseconds from the signal the process ends, whatever is still open. */
const DEADLINE_MS = 10_000;

export type Draining = { isDraining(): boolean };

/**
 * On SIGTERM: not ready any more, every answer says `Connection: close` for two seconds, then no new connections, and
 * the process exits 0 when the last answer is out. On SIGINT the same without the wait. A second signal ends it at once.
 */
export function drainOnSignal(server: Server, log: Log): Draining {
  let draining = false;
  const drain = (signal: NodeJS.Signals) => {
    if (draining) process.exit(1);
    draining = true;
    log.info({ signal }, 'draining');
    setTimeout(() => process.exit(1), DEADLINE_MS).unref();
    setTimeout(
      () => {
        server.close(() => process.exit(0));
        server.closeIdleConnections();
      },
      signal === 'SIGTERM' ? NOTICE_MS : 0,
    );
  };
  server.on('request', (_request, response) => {
    if (draining) response.setHeader('connection', 'close');
  });
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
  return { isDraining: () => draining };
}

/** One log line and one metric for every request. */

import type { ServerMetrics, ServerRules } from '../rules.ts';
import type { Log } from './log.ts';

/** The properties of a request that are recorded. */
export type LoggedRequest = {
  requestId: string;
  method: string;
  path: string;
  routeId: string | null;
  sessionHash: string | null;
  /** The code of the rejection, such as `ForeignOrigin`; null for a request that was handled. */
  rejection: string | null;
  /** By `performance.now()`. */
  startedAt: number;
};

const MAX_PATH_LENGTH = 200;

type RequestLogDeps = {
  rules: Pick<ServerRules, 'isRoutine'>;
  log: Log;
  metrics: Pick<ServerMetrics, 'requestEnded'>;
};

/** Creates the function that records a request that has ended. Health checks and routine requests are logged at `debug`. */
export function createRequestLog({ rules, log, metrics }: RequestLogDeps) {
  const isRoutine = (path: string, status: number) =>
    path === '/healthz' || path === '/readyz' || rules.isRoutine?.(path, status) === true;
  return (
    { requestId, method, path, routeId, sessionHash, rejection, startedAt }: LoggedRequest,
    status: number,
  ): void => {
    const ms = performance.now() - startedAt;
    metrics.requestEnded({ route: routeId, method, status, ms });
    log[isRoutine(path, status) ? 'debug' : 'info'](
      {
        requestId,
        route: routeId,
        method,
        path: path.slice(0, MAX_PATH_LENGTH),
        status,
        ms: Math.round(ms),
        session: sessionHash ?? undefined,
        code: rejection ?? undefined,
      },
      'request',
    );
  };
}

/** One log line and one metric for every request. */
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { POLICY_REPORTS_PATH } from './policy-reports-path.ts';

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

/** Creates the function that records a request that has ended. Health checks and reports are logged at `debug`. */
export function createRequestLog({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'requestEnded'> }) {
  return (
    { requestId, method, path, routeId, sessionHash, rejection, startedAt }: LoggedRequest,
    status: number,
  ): void => {
    const ms = performance.now() - startedAt;
    metrics.requestEnded({ route: routeId, method, status, ms });
    const cutPath = JSON.stringify(path.slice(0, MAX_PATH_LENGTH));
    // Only the path is a text that the visitor chose: Node's parser accepts known methods only.
    let members = `"requestId":"${requestId}","route":${routeId === null ? 'null' : `"${routeId}"`}`;
    members += `,"method":"${method}","path":${cutPath},"status":${status},"ms":${Math.round(ms)}`;
    if (sessionHash !== null) members += `,"session":"${sessionHash}"`;
    if (rejection !== null) members += `,"code":"${rejection}"`;
    log.writeMembers(isRoutine(path, status) ? 'debug' : 'info', members, 'request');
  };
}

/**
 * Reports of violations of the Content-Security-Policy get 204, or 429 beyond the rate limit. The violations have log
 * lines of their own, whose number is limited: a flood of reports must not fill the log.
 */
function isRoutine(path: string, status: number): boolean {
  const isReport = path === POLICY_REPORTS_PATH && (status === 204 || status === 429);
  return isReport || path === '/healthz' || path === '/readyz';
}

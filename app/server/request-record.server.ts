/** What is noted of each request when it is over: one line in the log, and its time in the metrics. */
import type { ServerResponse } from 'node:http';
import type { Log } from './log.server.ts';
import type { Metrics } from './metrics.server.ts';
import { sessionHash } from './session-record.server.ts';

export type EndedRequest = {
  /** A UUID of ours. */
  requestId: string;
  /** The route's id; null for files, health checks and refusals. */
  route: string | null;
  /** One that Node knows. */
  method: string;
  path: string;
  status: number;
  /** Milliseconds from the head of the request to the end of the answer. */
  ms: number;
  session: { state: string; id?: string } | null;
};

/** What servers write down for a visitor who left before the answer began. */
const CLIENT_CLOSED_REQUEST = 499;

/** The status of an answer that is over, as far as anybody has seen it. */
export function seenStatus(response: Pick<ServerResponse, 'headersSent' | 'statusCode'>): number {
  return response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
}

const MAX_PATH = 200;

/** Notes requests. Of a session only its hash is said; health checks, which come every few seconds, only at `debug`. */
export function createRequestRecord({ log, metrics }: { log: Log; metrics: Metrics }) {
  return ({ requestId, route, method, path, status, ms, session }: EndedRequest): void => {
    metrics.requestEnded({ route, method, status, ms });
    const isHealthCheck = path === '/healthz' || path === '/readyz';
    const place = `"route":${toJson(route)},"method":"${method}","path":${toJson(path.slice(0, MAX_PATH))}`;
    const visitor = session?.id === undefined ? '' : `,"session":"${sessionHash(session.id)}"`;
    log.members(
      isHealthCheck ? 'debug' : 'info',
      `"requestId":"${requestId}",${place},"status":${status},"ms":${Math.round(ms)}${visitor}`,
      'request',
    );
  };
}

/** Most routes and paths are JSON as soon as they stand in quotes, and to see that is quicker than to write it. */
function toJson(text: string | null): string {
  return text !== null && /^[\w/.-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

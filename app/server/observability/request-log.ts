/** What is noted of each request when it is over: one line in the log, and its time in the metrics. */
import type { ServerResponse } from 'node:http';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { sessionHash } from './session-hash.ts';

/** What a request asked for. Made ahead where it is known: most of a line is then written already. */
export type Asked = {
  /** The route's id; null for files, health checks and refusals. */
  readonly route: string | null;
  /** One that Node knows. */
  readonly method: string;
  readonly path: string;
  /** All of this as members of a line. */
  readonly members: string;
};

export type EndedRequest = {
  /** A UUID of ours. */
  requestId: string;
  asked: Asked;
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

/** A request for `path`, of which a line says no more than the start. */
export function describeAsked(route: string | null, method: string, path: string): Asked {
  const members = `"route":${toJson(route)},"method":"${method}","path":${toJson(path.slice(0, MAX_PATH))}`;
  return { route, method, path, members };
}

/** Notes requests. Of a session only its hash is said; health checks, which come every few seconds, only at `debug`. */
export function createRequestRecord({ log, metrics }: { log: Log; metrics: Metrics }) {
  return ({ requestId, asked, status, ms, session }: EndedRequest): void => {
    const { route, method, path, members } = asked;
    metrics.requestEnded({ route, method, status, ms });
    const isHealthCheck = path === '/healthz' || path === '/readyz';
    const visitor = session?.id === undefined ? '' : `"session":"${sessionHash(session.id)}",`;
    const outcome = `"status":${status},"ms":${Math.round(ms)},${visitor}"msg":"request"`;
    log.members(isHealthCheck ? 'debug' : 'info', `"requestId":"${requestId}",${members},${outcome}`);
  };
}

/** Most routes and paths are JSON as soon as they stand in quotes, and to see that is quicker than to write it. */
function toJson(text: string | null): string {
  return text !== null && /^[\w/.-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The response to bytes that are not a valid HTTP request, or of which the end does not arrive. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Log } from './log/log.ts';
import { createHeads } from './response-head.ts';
import type { ServerMetrics, ServerRules } from './rules.ts';

/** By the code of the error: the statuses that Node itself would choose. Any other error is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
  ShuttingDown: 503,
};

type MalformedRequestDeps = {
  rules: ServerRules;
  log: Pick<Log, 'info'>;
  metrics: Pick<ServerMetrics, 'rejected'>;
};

/**
 * Creates the function that returns the whole response, a short text, as the bytes of the connection: Node creates no
 * response object for such a request.
 */
export function createMalformedResponse({
  rules,
  log,
  metrics,
}: MalformedRequestDeps): (code: string) => string {
  const completeHead = createHeads(rules);
  return (code) => {
    const requestId = randomUUID();
    const status = STATUSES[code] ?? 400;
    log.info({ requestId, status, code }, 'malformed request');
    metrics.rejected('BadRequest');
    const text = `${status} ${STATUS_CODES[status]}\nRequest id: ${requestId}\n`;
    const head = completeHead({ requestId, cookies: rules.createCookies(), vary: [] }, status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(text.length),
      date: new Date().toUTCString(),
      connection: 'close',
    });
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
  };
}

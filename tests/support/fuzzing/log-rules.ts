/** How much of the log one request may fill. */
import { MAX_LOG_BYTES } from './limits.ts';

/** Other lines, such as those of upstreams, belong to no request. Together they are few. */
const MAX_AVERAGE_BYTES = 2000;

/** Returns what is wrong with the part of a log that `requests` requests have caused. */
export function findLongLog(log: string, requests: number): string[] {
  const lines = log.split('\n');
  const bytesById = new Map<string, number>();
  for (const line of lines) {
    const id = /"requestId":"([\w-]+)"/.exec(line)?.[1] ?? line;
    bytesById.set(id, (bytesById.get(id) ?? 0) + Buffer.byteLength(line));
  }
  const long = [...bytesById].filter(([, bytes]) => bytes > MAX_LOG_BYTES);
  const problems = long.map(([id, bytes]) => `a request logs ${bytes} bytes: ${id.slice(0, 300)}`);
  const average = Math.round(Buffer.byteLength(log) / requests);
  return average > MAX_AVERAGE_BYTES ? [...problems, `requests log ${average} bytes on average`] : problems;
}

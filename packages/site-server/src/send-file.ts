/** Sends a file from disk with the `send` package, which implements ranges and conditional requests for files. */
import { finished } from 'node:stream/promises';
import createSendStream from 'send';
import type { Exchange, FileBody, SiteResponse } from './exchange.ts';
import type { Head } from './response-head.ts';

/** The headers that describe the file. They are removed before an error is sent instead. */
const FILE_HEADERS = [
  'accept-ranges',
  'cache-control',
  'content-encoding',
  'content-type',
  'etag',
  'last-modified',
];

const ERROR_TEXTS: Readonly<Record<number, string>> = {
  404: 'Not found\n',
  412: 'Precondition failed\n',
  416: 'Range not satisfiable\n',
};

/**
 * Sends the file with `head`. When that is impossible (404, 412, 416), `writeInstead` writes a short text with the
 * error's status.
 */
export async function sendFile(
  exchange: Exchange,
  { directory, file }: FileBody,
  head: Head,
  writeInstead: (exchange: Exchange, response: SiteResponse) => Promise<void>,
): Promise<void> {
  const { request, response } = exchange;
  for (const [name, value] of Object.entries(head)) response.setHeader(name, value);
  const error = await new Promise<FileError | null>((resolve) => {
    const stream = createSendStream(request, encodeURI(file), {
      root: directory,
      cacheControl: false,
      index: false,
    });
    stream.on('error', resolve);
    stream.pipe(response);
    finished(response).then(
      () => resolve(null),
      () => resolve(null),
    );
  });
  if (!error || response.headersSent) return;
  for (const name of FILE_HEADERS) response.removeHeader(name);
  const { status = 500, headers = {} } = error;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  await writeInstead(exchange, fileError(status, Object.fromEntries(own)));
}

/** The response for a file that cannot be sent. */
export function fileError(status: number, headers: Record<string, string> = {}): SiteResponse {
  const body = ERROR_TEXTS[status] ?? 'Internal server error\n';
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

type FileError = { status?: number; headers?: Record<string, unknown> };

/** The limit for bodies in chunks (RFC 9112 section 7.1). */
import type { IncomingMessage } from 'node:http';

/**
 * Node's parser takes time for each chunk, however short it is, and one round of the event loop reads many of them from
 * each connection. Up to this number the chunks of a body may have any length. More must have as many bytes each, on
 * average.
 */
const FREE_CHUNKS = 1024;
const BYTES_PER_CHUNK = 64;

/** Calls `onTooMany` when the body has too many short chunks. The body stays paused until a handler reads it. */
export function limitShortChunks(request: IncomingMessage, onTooMany: () => void): void {
  if (!isChunked(request)) return;
  let chunks = 0;
  let bytes = 0;
  const count = ({ length }: Buffer) => {
    chunks += 1;
    bytes += length;
    if (chunks <= FREE_CHUNKS + bytes / BYTES_PER_CHUNK) return;
    onTooMany();
    // Node would go on to parse, and to emit, what it has read together with this chunk.
    request.off('data', count).destroy();
  };
  // Without the pause, the listener would make the body flow before the handler reads it. A body of which nothing has been
  // read would lose the listener when the response is complete.
  request.pause().on('data', count).read(0);
}

/** Whether the body of a request comes in chunks. */
export function isChunked({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers;
}

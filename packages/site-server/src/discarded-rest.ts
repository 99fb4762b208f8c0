/** What is read of a request that nothing else reads. */
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 * 1024 * 1024;
/** How long a client may send nothing, in milliseconds. */
const MAX_PAUSE_MS = 1000;

/**
 * Reads on until the request ends, and resolves. It also resolves when the client sends more than `maxBytes`, or nothing
 * for a second. A response is ended after that: the end of a connection on which the client still sends is a reset, by
 * which the client would lose the response.
 */
export function discardRest(request: IncomingMessage, maxBytes = MAX_BYTES): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = () => {
      clearTimeout(pause);
      request.off('data', count);
      resolve();
    };
    const pause = setTimeout(end, MAX_PAUSE_MS);
    const count = ({ length }: Buffer) => {
      bytes += length;
      pause.refresh();
      if (bytes > maxBytes) end();
    };
    request.on('data', count).once('end', end).once('close', end).resume();
  });
}

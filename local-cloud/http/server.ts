import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Breakage, FaultyHandler } from '../control/faults.ts';
import { type Clock, type CloudReply, type CloudRequest, text } from './exchange.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

export type CloudServer = {
  /** `http://127.0.0.1:{port}` */
  origin: string;
  /** Answers with this handler from now on; `clock` gives the `Date` header. */
  serve(handler: FaultyHandler, clock: Clock): void;
  /** Ends every connection at once; whoever comes now is refused. */
  close(): Promise<void>;
  /** Listens again after `close`, at the same address. */
  reopen(): Promise<void>;
};

/** Listens on 127.0.0.1 alone; `port` 0 takes a free one. Rejects when the port is taken. */
export async function listen(port: number): Promise<CloudServer> {
  const server = createServer();
  const open = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', resolve);
    });
  await open(port);
  const opened = portOf(server);
  return {
    origin: `http://127.0.0.1:${opened}`,
    serve(handler, clock) {
      server.on('request', (incoming, response) => void answer(incoming, response, handler, clock));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: () => open(opened),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP address was expected.');
  return address.port;
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  handler: FaultyHandler,
  clock: Clock,
): Promise<void> {
  try {
    const body = await readBody(incoming);
    const url = urlOf(incoming);
    if (!url) return send(response, text(400, 'Bad request\n'), clock);
    if (!body) return send(response, text(413, 'Content too large\n', { connection: 'close' }), clock);
    const reply = await handler(toCloudRequest(incoming, url, body));
    if ('broken' in reply) breakConnection(response, reply);
    else send(response, reply, clock);
  } catch (error) {
    // Who hangs up in the middle of a request is owed no answer.
    if (incoming.destroyed && !incoming.complete) return;
    console.error(error);
    if (response.headersSent) response.destroy();
    else send(response, text(500, 'Internal error\n'), clock);
  }
}

/** The whole body, or null when it is too large. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Null for what is no path, or a `Host` that is none. */
function urlOf({ url = '', headers: { host = 'localhost' } }: IncomingMessage): URL | null {
  const address = `http://${host}${url}`;
  return url.startsWith('/') && URL.canParse(address) ? new URL(address) : null;
}

function toCloudRequest(incoming: IncomingMessage, url: URL, body: Buffer): CloudRequest {
  return {
    method: incoming.method ?? '',
    url,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body,
    rawPath: incoming.url ?? '',
  };
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: CloudReply, clock: Clock): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    date: new Date(clock()).toUTCString(),
    'content-length': bytes.length,
    ...headers,
  });
  // Node leaves the body out of the answer to HEAD by itself.
  response.end(bytes);
}

function breakConnection(response: ServerResponse, breakage: Breakage): void {
  if (breakage.broken === 'hang') return;
  if (!breakage.midBody) return void response.destroy();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  // Written out before it is torn down, so that the other side has half an answer in hand.
  response.write('{"half":', () => response.destroy());
}

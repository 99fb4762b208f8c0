/** An upstream over real HTTP that answers as a test tells it to, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type ReceivedRequest = {
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  url: string;
  body: string;
};

/** Answers one request. `asked` counts it: 1 for the first. */
export type Script = (response: ServerResponse, asked: number, request: IncomingMessage) => void;

export type ScriptedUpstream = {
  url: string;
  received: ReceivedRequest[];
  /** Resolves when a connection was closed before its answer was complete. */
  clientDisconnected: Promise<void>;
  close(): void;
};

/** Listens on a free port of the loopback address until the test is over. */
export async function startUpstream(script: Script): Promise<ScriptedUpstream> {
  const asked: ReceivedRequest[] = [];
  let abandon = () => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const server = createServer(async (request, response) => {
    response.on('close', () => response.writableFinished || abandon());
    const { headers, rawHeaders, url = '' } = request;
    asked.push({ headers, rawHeaders, url, body: await text(request) });
    script(response, asked.length, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP address was expected.');
  return {
    url: `http://127.0.0.1:${address.port}/graphql`,
    received: asked,
    clientDisconnected: abandoned,
    close,
  };
}

/** Answers every request with this status, JSON and headers. */
export function respondWith(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers the first request by the first script, and so on; the last one stays. */
export function inSequence(...scripts: [Script, ...Script[]]): Script {
  return (response, asked, request) => {
    const script = scripts[Math.min(asked, scripts.length) - 1] ?? scripts[0];
    script(response, asked, request);
  };
}

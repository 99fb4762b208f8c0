/** An upstream over HTTP that responds as a test scripts it and records the requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';

type ReceivedRequest = {
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  url: string;
  body: string;
};

/** Responds to one request. `count` is 1 for the first request. */
export type Script = (response: ServerResponse, count: number, request: IncomingMessage) => void;

export type ScriptedUpstream = {
  url: string;
  received: ReceivedRequest[];
  /** Resolves when a connection is closed before its response is complete. */
  clientDisconnected: Promise<void>;
  close(): void;
};

/** Starts the upstream on a free port of 127.0.0.1. It is closed when the test has finished. */
export async function startUpstream(script: Script): Promise<ScriptedUpstream> {
  const received: ReceivedRequest[] = [];
  let onDisconnect = () => {};
  const clientDisconnected = new Promise<void>((resolve) => {
    onDisconnect = resolve;
  });
  const server = createServer(async (request, response) => {
    response.on('close', () => response.writableFinished || onDisconnect());
    const { headers, rawHeaders, url = '' } = request;
    received.push({ headers, rawHeaders, url, body: await text(request) });
    script(response, received.length, request);
  });
  const origin = await listenOnLoopback(server);
  const close = () => void closeServer(server);
  onTestFinished(close);
  return { url: `${origin}/graphql`, received, clientDisconnected, close };
}

/** Returns a script that responds to every request with this status, JSON and headers. */
export function respondWith(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Returns a script that uses one script per request, in order, and the last one for all further requests. */
export function inSequence(...scripts: [Script, ...Script[]]): Script {
  return (response, count, request) => {
    const script = scripts[Math.min(count, scripts.length) - 1] ?? scripts[0];
    script(response, count, request);
  };
}

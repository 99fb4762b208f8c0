/** HTTP requests that are sent exactly as given: the path is not normalized, and only `Host` is added. */
import { once } from 'node:events';
import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { assertNoSecret } from '../secrets/secret-detection.ts';

export type RawRequest = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};
export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: string; ms: number };

/**
 * A response may set a session of eight cookies with 4 kB each. Browsers accept that; Node's default is 16 kB. Tests see
 * more too, so that they can tell what is wrong.
 */
const MAX_HEADER_SIZE = 256 * 1024;

/** Encodes a text for a URL. A lone surrogate, which cannot be encoded, becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** Encodes what Node's client does not allow in a request line. */
export function encodeTarget(target: string): string {
  return target.replace(/[^\u0021-\u007e]|#/gu, percentEncode);
}

/** Replaces what Node's client does not allow in a header. */
export function sanitizeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?'),
    ]),
  );
}

/**
 * Sends one request, on a new connection unless an `agent` reuses one. Rejects when the response contains a secret. For
 * an https origin the agent, one of node:https, names the certificate authority.
 */
export async function sendRaw(
  origin: string,
  request: RawRequest,
  agent: Agent | false = false,
): Promise<RawResponse> {
  const response = await send(origin, request, agent);
  assertNoSecret(request.path, response);
  return response;
}

async function send(
  origin: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
  agent: Agent | false,
): Promise<RawResponse> {
  const { protocol, hostname, port, host } = new URL(origin);
  // Node would take the name for the certificate from the Host header.
  const server = { hostname, port, servername: hostname };
  const sendRequest = protocol === 'https:' ? httpsRequest : httpRequest;
  const startedAt = performance.now();
  const request = sendRequest({
    ...server,
    method,
    path,
    headers: { host, ...headers },
    agent,
    maxHeaderSize: MAX_HEADER_SIZE,
  });
  // An error ends the response too, which rejects below. Without a response it rejects `once`.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: (await buffer(response)).toString(),
    ms: performance.now() - startedAt,
  };
}

/** HTTP requests that are sent exactly as given: the path is not normalized, and only `Host` is added. */
import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
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

function send(
  origin: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
  agent: Agent | false,
): Promise<RawResponse> {
  const { protocol, hostname, port, host } = new URL(origin);
  // Node would take the name for the certificate from the Host header.
  const server = { hostname, port, servername: hostname };
  const sendRequest = protocol === 'https:' ? httpsRequest : httpRequest;
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { ...server, method, path, headers: { host, ...headers }, agent, maxHeaderSize: MAX_HEADER_SIZE },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            ms: performance.now() - startedAt,
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

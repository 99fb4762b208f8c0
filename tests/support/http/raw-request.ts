/** HTTP requests that are sent exactly as given: the path is not normalized, and only `Host` is added. */
import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { assertNoSecret } from '../secrets/secret-detection.ts';

export type RawRequest = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};
export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: string; ms: number };

/**
 * Sends one request, on a new connection unless an `agent` reuses one. Rejects when the response contains a secret.
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
  const { hostname, port, host } = new URL(origin);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method, path, headers: { host, ...headers }, agent },
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

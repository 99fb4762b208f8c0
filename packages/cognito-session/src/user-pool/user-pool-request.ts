/** HTTP requests to the user pool's API and to the hosted login. */

import { request } from 'undici';
import { createDispatcher, UpstreamError, withDeadline } from '#upstream';

const ATTEMPT_TIMEOUT_MS = 10_000;

const dispatcher = createDispatcher();

/** A complete response. `ok` as in `Response`: a status from 200 to 299. */
export type UserPoolResponse = { status: number; ok: boolean; headers: Headers; text: string };

/**
 * Posts `body` and reads the whole response. Rejects with an `UpstreamError` for a network error and for a redirect,
 * and after `timeoutMs` milliseconds. The `fetch` of Node 20 can lose the signal of a request with the garbage, and
 * would then wait for ever (nodejs/node#57736).
 */
export async function post(
  service: string,
  url: string,
  body: string,
  signal: AbortSignal,
  headers: Record<string, string>,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): Promise<UserPoolResponse> {
  try {
    return await withDeadline(timeoutMs, signal, (limit) => send(url, body, headers, limit));
  } catch (error) {
    throw networkError(service, error);
  }
}

async function send(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<UserPoolResponse> {
  const response = await request(url, { method: 'POST', body, headers, signal, dispatcher });
  const { statusCode: status } = response;
  const text = await response.body.text();
  if (status >= 300 && status < 400) throw new Error('Redirects are not followed.');
  const received = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return { status, ok: status < 300, headers: new Headers(received), text };
}

/** Fetches a URL with GET and reads the whole response. Follows no redirect. */
export async function get(
  url: string,
  { headers, signal }: { headers: Headers; signal: AbortSignal },
): Promise<Response> {
  const { statusCode, body } = await request(url, { headers, signal, dispatcher });
  return new Response(await body.text(), { status: statusCode });
}

/** Returns the headers of a form, with the app client's credentials if it has a secret (RFC 6749 section 2.3.1). */
export function clientFormHeaders(clientId: string, clientSecret: string | null): Record<string, string> {
  const credentials = clientSecret && Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    'content-type': 'application/x-www-form-urlencoded',
    ...(credentials ? { authorization: `Basic ${credentials}` } : {}),
  };
}

function networkError(service: string, cause: unknown): UpstreamError {
  const timedOut = cause instanceof Error && cause.name === 'TimeoutError';
  return timedOut
    ? new UpstreamError(service, 'TimeoutError', 'The user pool did not respond in time.', { cause })
    : new UpstreamError(service, 'NetworkError', 'A network error has occurred.', { cause });
}

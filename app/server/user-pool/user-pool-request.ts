/** HTTP requests to the user pool's API and to the hosted login. */
import { request } from 'undici';
import type { UpstreamService } from '../observability/metrics.ts';
import { type CallSignal, toAbortSignal } from '../resilience/call-signal.ts';
import { withDeadline } from '../resilience/deadline.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;

/** A complete response. `ok` as in `Response`: a status from 200 to 299. */
export type UserPoolResponse = { status: number; ok: boolean; headers: Headers; text: string };

/**
 * Posts `body` and reads the whole response. Rejects with an `UpstreamError` for a network error and for a redirect,
 * and after `timeoutMs` milliseconds. The `fetch` of Node 20 can lose the signal of a request with the garbage, and
 * would then wait for ever (nodejs/node#57736).
 */
export async function post(
  service: UpstreamService,
  url: string,
  body: string,
  signal: CallSignal,
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
  signal: CallSignal,
): Promise<UserPoolResponse> {
  const response = await request(url, { method: 'POST', body, headers, signal: toAbortSignal(signal) });
  const { statusCode: status } = response;
  const text = await response.body.text();
  if (status >= 300 && status < 400) throw new Error('Redirects are not followed.');
  const received = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return { status, ok: status < 300, headers: new Headers(received), text };
}

/** Returns the headers of a form, with the app client's credentials if it has a secret (RFC 6749 section 2.3.1). */
export function clientFormHeaders(clientId: string, clientSecret: string | null): Record<string, string> {
  const credentials = clientSecret && Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    'content-type': 'application/x-www-form-urlencoded',
    ...(credentials ? { authorization: `Basic ${credentials}` } : {}),
  };
}

function networkError(service: UpstreamService, cause: unknown): UpstreamError {
  const timedOut = cause instanceof Error && cause.name === 'TimeoutError';
  return timedOut
    ? new UpstreamError(service, 'TimeoutError', 'The user pool did not respond in time.', { cause })
    : new UpstreamError(service, 'NetworkError', 'A network error has occurred.', { cause });
}

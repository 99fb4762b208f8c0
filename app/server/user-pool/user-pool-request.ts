/** HTTP requests to the user pool's API and to the hosted login. */
import type { UpstreamService } from '../observability/metrics.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;

/**
 * Posts `body`. Rejects with an `UpstreamError` for a network error and for a redirect. After `timeoutMs` milliseconds
 * the request is aborted, also while its response is being read.
 */
export async function post(
  service: UpstreamService,
  url: string,
  body: string,
  signal: AbortSignal,
  headers: Record<string, string>,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const either = AbortSignal.any([signal, timeout]);
    return await fetch(url, { method: 'POST', body, headers, signal: either, redirect: 'error' });
  } catch (error) {
    throw networkError(service, error);
  }
}

/** Reads the text of a response. Rejects with an `UpstreamError`. */
export async function readText(service: UpstreamService, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw networkError(service, error);
  }
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

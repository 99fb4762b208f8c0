/** Requests to the services that the site calls. */
import { Agent, request } from 'undici';
import { FindingError, failure } from '../finding.ts';

export type Reply = {
  status: number;
  location: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown;
  /** Milliseconds by which the clock of the service is ahead of this machine's; null if the reply names no time. */
  clockOffset: number | null;
};

type RequestInit = { method?: 'POST'; headers?: Record<string, string>; body?: string };
export type Send = (url: string | URL, init?: RequestInit) => Promise<Reply>;

const MAX_BODY_BYTES = 1024 * 1024;

/** Returns a function that sends a request, without following redirects. Each part of it may take `timeoutMs`. */
export function createSend(timeoutMs: number): Send {
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_BODY_BYTES,
  });
  return async (url, init) => {
    const startedAt = Date.now();
    const { statusCode: status, headers, body } = await request(url, { ...init, dispatcher });
    const text = await body.text();
    const date = Date.parse(String(headers.date));
    return {
      status,
      headers,
      text,
      location: headers.location?.toString(),
      json: parseJson(text),
      // The header has whole seconds, so that the true time is half a second later on average.
      clockOffset: Number.isNaN(date) ? null : date + 500 - (startedAt + Date.now()) / 2,
    };
  };
}

/** Sends a request to a service that has to respond. Throws a `FindingError` if it does not, or with a status of 5xx. */
export function createServiceSend(send: Send, service: string, setting: string): Send {
  return async (url, init) => {
    const { origin } = new URL(url);
    const fix = `Check ${setting}, and whether this machine can reach that address.`;
    const reply = await send(url, init).catch((error: unknown) => {
      throw new FindingError(failure(`${service} at ${origin} does not respond (${reasonOf(error)}).`, fix));
    });
    if (reply.status < 500) return reply;
    const text = `${service} at ${origin} responds with status ${reply.status}.`;
    throw new FindingError(failure(text, `Run the command again. If it happens again, check ${setting}.`));
  };
}

/** The code of a network error, such as `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown error';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

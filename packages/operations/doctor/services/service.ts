/** The services that the site calls, over HTTP. */
import { toAbortSignal } from '../../../../app/server/resilience/call-signal.ts';
import { isTimeout, untilAborted, withDeadline } from '../../../../app/server/resilience/deadline.ts';
import { parseJson } from '../../../../app/server/resilience/upstream-response.ts';
import { type Finding, FindingError, notChecked, problem } from '../findings/finding.ts';

export type Reply = {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown;
};

export type Service = {
  name: string;
  /**
   * Sends a request without following redirects. Throws a `FindingError` if the service cannot be reached, does not
   * respond in time or responds with a status of 5xx. After the service could not be reached, it is not tried again.
   */
  send(url: string | URL, init: RequestInit, signal: AbortSignal): Promise<Reply>;
  /** Milliseconds by which the clock of the service is ahead of this machine's; null before its first reply. */
  clockOffset(): number | null;
};

export type ServiceOptions = {
  /** At the start of a sentence, such as `The data API`. */
  name: string;
  /** The variables that lead to it. */
  setting: string;
  timeoutMs: number;
  /** Returns the finding for a host name that does not exist in DNS. The default is that for an unreachable service. */
  explainUnknownHost?: (host: string) => Finding | null;
};

const MAX_BODY_BYTES = 1024 * 1024;

/** Creates a service. Its addresses are given with each request. */
export function createService({ name, setting, timeoutMs, explainUnknownHost }: ServiceOptions): Service {
  let isUnreachable = false;
  let clockOffset: number | null = null;

  const failure = (error: unknown, { origin: address, hostname }: URL): FindingError => {
    isUnreachable = true;
    const reason = networkErrorReason(error);
    const unknownHost = reason === 'ENOTFOUND' ? explainUnknownHost?.(hostname) : null;
    if (unknownHost) return new FindingError(unknownHost);
    return new FindingError(
      isTimeout(error)
        ? problem('service-timeout', { service: name, address, setting })
        : problem('service-unreachable', { service: name, address, setting, reason }),
    );
  };

  return {
    name,
    clockOffset: () => clockOffset,
    async send(address, init, signal) {
      const url = new URL(address);
      if (isUnreachable) throw new FindingError(notChecked(`${name} cannot be reached.`));
      const startedAt = Date.now();
      const reply = await sendRequest(url, init, signal, timeoutMs).catch((error: unknown) => {
        throw failure(error, url);
      });
      clockOffset = clockOffsetOf(reply, startedAt) ?? clockOffset;
      if (reply.status < 500) return reply;
      throw new FindingError(
        problem('service-failing', { service: name, address: url.origin, setting, status: reply.status }),
      );
    },
  };
}

/** Sends a request and reads its response, at most 1 MiB of it. Rejects as `fetch` does. */
export async function sendRequest(
  url: URL,
  init: RequestInit,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Reply> {
  // The `fetch` of Node 20 can lose its signal with the garbage (nodejs/node#57736).
  return withDeadline(timeoutMs, signal, (limit) =>
    untilAborted(receive(url, { ...init, signal: toAbortSignal(limit) }), limit),
  );
}

async function receive(url: URL, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await readText(response);
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

/** Returns the code of a network error, such as `ECONNREFUSED`. */
export function networkErrorReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown error';
}

async function readText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (reader && size <= MAX_BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    chunks.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(chunks).toString('utf8');
}

/** The `Date` header has whole seconds, so that the true time is half a second later on average. */
function clockOffsetOf({ headers }: Reply, startedAt: number): number | null {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? null : date + 500 - (startedAt + Date.now()) / 2;
}

/** One request with its state in the pipeline, and the form of a response. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { CookieJar } from './cookie-jar.ts';
import type { Rejection } from './rejection.ts';
import { readBody } from './request-body.ts';

/** Reads a header by its lower-case name; null when it is absent. */
export type HeaderReader = { get(name: string): string | null };

/**
 * A response as a step returns it; `send` adds what every response has. `body` is complete in memory, a stream, or a
 * file on disk.
 */
export type SiteResponse = {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[]>>;
  body?: string | Uint8Array | Readable | FileBody | null;
};

export type FileBody = { directory: string; file: string };

/** The status that is logged when the client disconnects before the response begins, as other servers log it. */
export const CLIENT_CLOSED_REQUEST = 499;

/** Handles a request, or returns null to leave it to the next step. */
export type Step<Context = unknown> = (
  exchange: Exchange<Context>,
) => SiteResponse | null | Promise<SiteResponse | null>;

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)([/?#].*)?$/i;

/** One request and its response. `Context` is what `openContext` returns: the session and the services. */
export class Exchange<Context = unknown> {
  readonly requestId: string = randomUUID();
  /** Milliseconds, by `performance.now()`. */
  readonly startedAt = performance.now();
  readonly method: string;
  /** The host in the absolute form of the target, which counts instead of the header's (RFC 9112 section 3.2.2), or null. */
  readonly authority: string | null;
  /** Path and query, as received. */
  readonly target: string;
  readonly path: string;
  readonly headers: HeaderReader;
  /** Request headers that the response depends on, besides `Accept-Encoding` (RFC 9110 section 12.5.5). */
  readonly vary: string[] = [];
  /** The matched route, for the log, the metrics and the rate limit; null for files, health checks and rejections. */
  routeId: string | null = null;
  /** Names the session in the log; null until one is opened, and for visitors without one. */
  sessionHash: string | null = null;
  /** The code of the rejection, for the log; null until the request is rejected. */
  rejection: string | null = null;

  #context: Promise<Context> | undefined;
  #controller: AbortController | undefined;
  #isAbandoned = false;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly openContext: (exchange: Exchange) => Promise<Context>,
    /** The cookies that the response sets. */
    readonly cookies: CookieJar,
  ) {
    const { method = '', url = '' } = request;
    this.method = method;
    const [, authority = null, target = ''] = ABSOLUTE_FORM.exec(url) ?? [null, null, url];
    this.authority = authority;
    this.target = authority === null || target.startsWith('/') ? target : `/${target}`;
    this.path = pathOf(this.target);
    this.headers = headersOf(request);
  }

  /** The query with its `?`, or an empty string. */
  get search(): string {
    return this.target.slice(this.path.length);
  }

  /** Reads the whole body, or returns why it is rejected. */
  readBody(maxBytes: number): Promise<Uint8Array | Rejection> {
    return readBody(this.request, this.response, maxBytes);
  }

  /** Aborts when the client disconnects before the response is complete, and when the request is abandoned. */
  get signal(): AbortSignal {
    this.#controller ??= abortsOnDisconnect(this.request, this.response);
    return this.#controller.signal;
  }

  /** Whether another response was sent than that of the steps, which is no longer wanted. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Aborts what the steps are doing. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#controller ??= abortsOnDisconnect(this.request, this.response);
    this.#controller.abort();
  }

  /** The session and the services for this request, opened at the first call. */
  context(): Promise<Context> {
    this.#context ??= this.openContext(this);
    return this.#context;
  }
}

/** The path of a request target. */
function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/** The headers of a request, in any case of their names. */
function headersOf({ rawHeaders }: IncomingMessage): HeaderReader {
  return { get: (name) => readHeader(rawHeaders, name) };
}

/** Several lines of one header are joined: a duplicate `Host` matches no host. */
function readHeader(rawHeaders: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    const line = rawHeaders[index + 1] ?? '';
    value = value === null ? line : `${value}${name === 'cookie' ? '; ' : ', '}${line}`;
  }
  return value;
}

function abortsOnDisconnect(request: IncomingMessage, response: ServerResponse): AbortController {
  const controller = new AbortController();
  if (request.socket.destroyed) controller.abort();
  request.once('error', () => controller.abort());
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller;
}

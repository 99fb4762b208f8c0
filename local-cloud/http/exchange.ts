import type { IncomingHttpHeaders } from 'node:http';

/** Now, in milliseconds since the epoch. The local cloud's clock may be set apart from the machine's. */
export type Clock = () => number;

/** One request, read to its end. */
export type CloudRequest = {
  method: string;
  /** What was asked for, on the origin that the `Host` header names. */
  url: URL;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came, so that a signature over them can be checked. */
  rawHeaders: readonly string[];
  body: Buffer;
  /** Path and query as on the wire, neither decoded nor normalised. */
  rawPath: string;
};

export type CloudReply = {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
};

export type Handler = (request: CloudRequest) => Promise<CloudReply> | CloudReply;

/** A reply of JSON that no cache keeps. */
export function json(status: number, value: unknown, headers: CloudReply['headers'] = {}): CloudReply {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** A 302 that no cache keeps. */
export function redirect(location: string | URL, headers: CloudReply['headers'] = {}): CloudReply {
  return { status: 302, headers: { location: String(location), 'cache-control': 'no-store', ...headers } };
}

/** A reply of plain text. */
export function text(status: number, body: string, headers: CloudReply['headers'] = {}): CloudReply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
}

/** The fields of an `application/x-www-form-urlencoded` body. */
export function formOf(request: CloudRequest): URLSearchParams {
  return new URLSearchParams(request.body.toString('utf8'));
}

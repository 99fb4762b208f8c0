/** The requests and responses that the local cloud's handlers work with. */
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

/** Returns the time in milliseconds since the epoch. The local cloud's clock can differ from the machine's. */
export type Clock = () => number;

/** A request whose body has been read completely. */
export type CloudRequest = {
  method: string;
  /** The URL, with the host of the `Host` header. */
  url: URL;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

export type CloudResponse = {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
};

export type Handler = (request: CloudRequest) => Promise<CloudResponse> | CloudResponse;

/** What an injected fault does in place of a response: it never responds, or it closes the connection. */
export type BrokenConnection = { broken: 'hang' } | { broken: 'reset'; midBody: boolean };

/** A handler that can break the connection instead of responding. */
export type UnreliableHandler = (request: CloudRequest) => Promise<CloudResponse | BrokenConnection>;

/** Returns a JSON response that must not be cached. */
export function json(status: number, value: unknown, headers: CloudResponse['headers'] = {}): CloudResponse {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** Returns a 302 response that must not be cached. */
export function redirect(location: string | URL, headers: CloudResponse['headers'] = {}): CloudResponse {
  return { status: 302, headers: { location: String(location), 'cache-control': 'no-store', ...headers } };
}

/** Returns a plain text response that must not be cached. */
export function text(status: number, body: string, headers: CloudResponse['headers'] = {}): CloudResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
}

/** Returns the fields of an `application/x-www-form-urlencoded` body. */
export function parseForm(request: CloudRequest): URLSearchParams {
  return new URLSearchParams(request.body.toString('utf8'));
}

/** Returns the value of a request's cookie, or undefined without such a cookie. */
export function readCookie(request: CloudRequest, name: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[name];
}

/**
 * Returns a `Set-Cookie` line; `maxAge` is in seconds. The cookie is `HttpOnly` and `SameSite=Lax`. It is not
 * `Secure` because the local cloud uses plain HTTP.
 */
export function serializeCookie(name: string, value: string, { maxAge }: { maxAge: number }): string {
  return stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax' });
}

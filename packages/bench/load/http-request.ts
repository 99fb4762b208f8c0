/** Requests of the benchmarks, and their form on the wire. */

export type BenchRequest = {
  method?: string;
  path: string;
  /** The `Host` header. */
  host: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
};

/** Returns the complete HTTP/1.1 request. */
export function toRequestText({ method = 'GET', path, host, headers, body = '' }: BenchRequest): string {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
